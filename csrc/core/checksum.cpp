#include "core/checksum.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace lookalike {
namespace {

constexpr std::size_t kWords = 8;
constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio

std::uint64_t word_at(std::uint8_t const* bytes, std::size_t count) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, count);
  if constexpr (std::endian::native == std::endian::big) {
    std::uint64_t turned = 0;
    for (std::size_t i = 0; i < 8; ++i) turned |= (word >> (8 * i) & 0xff) << (56 - 8 * i);
    word = turned;
  }
  return word;
}

std::uint64_t mixed(std::uint64_t sum, std::uint64_t word) {
  sum = (sum ^ word) * kOdd;
  return sum ^ (sum >> 29);  // the high bits of a product depend on all, its low ones on few
}

}  // namespace

std::uint64_t checksum(std::span<std::uint8_t const> bytes) {
  std::array<std::uint64_t, kWords> sum;
  for (std::size_t i = 0; i < kWords; ++i) sum[i] = kOdd * (2 * i + 1);
  std::size_t at = 0;
  for (; at + 8 * kWords <= bytes.size(); at += 8 * kWords)
    for (std::size_t i = 0; i < kWords; ++i)
      sum[i] = mixed(sum[i], word_at(bytes.data() + at + 8 * i, 8));
  std::uint64_t total = bytes.size();
  for (std::uint64_t const one : sum) total = mixed(total, one);
  for (; at < bytes.size(); at += 8)
    total = mixed(total, word_at(bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at)));
  return total;
}

}  // namespace lookalike
