// The vector instructions of the level that is being compiled.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/portable.hpp"

#if defined(LOOKALIKE_LEVEL_neon) || defined(LOOKALIKE_LEVEL_dotprod)
#define LOOKALIKE_NEON 1
#include <arm_neon.h>
#elif defined(LOOKALIKE_LEVEL_avx2) || defined(LOOKALIKE_LEVEL_avx512)
#if defined(__GNUC__) && !defined(__clang__)
// Headers of GCC before 13 start "any value will do" registers from themselves.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#else
#include <immintrin.h>
#endif
#endif

// Bits of a word. Of internal linkage, unlike those of <bit>: every vector level has its own.
namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

[[maybe_unused]] inline std::size_t lowest_bit(std::uint32_t word) {
#if defined(_MSC_VER)
  unsigned long at;
  _BitScanForward(&at, word);
  return at;
#else
  return static_cast<std::size_t>(__builtin_ctz(word));
#endif
}

[[maybe_unused]] inline std::int64_t bit_count(std::uint64_t word) {
#if defined(_MSC_VER)
  word -= word >> 1 & 0x5555555555555555U;
  word = (word & 0x3333333333333333U) + (word >> 2 & 0x3333333333333333U);
  return static_cast<std::int64_t>(
      ((word + (word >> 4)) & 0x0F0F0F0F0F0F0F0FU) * 0x0101010101010101U >> 56);
#else
  return __builtin_popcountll(word);
#endif
}

}  // namespace
}  // namespace lookalike::simd::LOOKALIKE_LEVEL
