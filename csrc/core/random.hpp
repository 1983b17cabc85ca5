// Random numbers that are the same everywhere [Steele14, splitmix64].
#pragma once
#include <cstddef>
#include <cstdint>

namespace lookalike {

// A well-mixed number for every number.
inline std::uint64_t splitmix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// One of the numbers below n < 2^32, by a well-mixed one.
inline std::size_t below(std::uint64_t mixed, std::size_t n) {
  return static_cast<std::size_t>((mixed >> 32) * static_cast<std::uint64_t>(n) >> 32);
}

// A small stream of random numbers.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t const drawn = splitmix(state_);
    state_ += 0x9e3779b97f4a7c15u;
    return drawn;
  }
  std::size_t below(std::size_t n) { return lookalike::below(next(), n); }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace lookalike
