#include "core/dispatch.hpp"

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#if defined(LOOKALIKE_ARM) && defined(__linux__)
#include <sys/auxv.h>
#endif
#if defined(LOOKALIKE_X86) && defined(_MSC_VER)
#include <immintrin.h>
#include <intrin.h>
#endif

namespace lookalike {
namespace {

#if defined(LOOKALIKE_X86) && defined(_MSC_VER)
bool bit(int word, int position) { return (word >> position) & 1; }

Simd detect() {
  int leaf1[4], leaf7[4];
  __cpuidex(leaf1, 1, 0);
  __cpuidex(leaf7, 7, 0);
  if (!bit(leaf1[2], 27)) return Simd::generic;  // OSXSAVE
  auto const saved = _xgetbv(0);
  bool const ymm = (saved & 0x6) == 0x6, zmm = (saved & 0xe6) == 0xe6;
  bool const avx2 = ymm && bit(leaf1[2], 12) && bit(leaf7[1], 5);
  bool const avx512 = zmm && bit(leaf7[1], 16) && bit(leaf7[1], 17) && bit(leaf7[1], 30) &&
                      bit(leaf7[1], 31) && bit(leaf7[2], 11);
  return avx2 && avx512 ? Simd::avx512 : avx2 ? Simd::avx2 : Simd::generic;
}
#elif defined(LOOKALIKE_X86)
Simd detect() {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return Simd::generic;
  bool const avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512vnni");
  return avx512 ? Simd::avx512 : Simd::avx2;
}
#elif defined(LOOKALIKE_ARM) && defined(__linux__)
constexpr unsigned long kDotProducts = 1UL << 20;  // HWCAP_ASIMDDP

Simd detect() { return getauxval(AT_HWCAP) & kDotProducts ? Simd::dotprod : Simd::neon; }
#elif defined(LOOKALIKE_ARM)
Simd detect() { return Simd::dotprod; }  // as all processors of Apple
#else
Simd detect() { return Simd::generic; }
#endif

Simd decide() {
  char const* const requested = std::getenv("LOOKALIKE_SIMD");
  if (requested == nullptr || std::string_view(requested).empty()) return best_simd();
  std::string names;
  for (Simd const level : simd_levels()) {
    if (std::string_view(requested) == name(level)) return level;
    names += (names.empty() ? "" : ", ") + std::string(name(level));
  }
  throw std::invalid_argument(std::string("LOOKALIKE_SIMD=") + requested +
                              " is not a level of this machine, which has: " + names +
                              ". Choose one of these, or unset it.");
}

}  // namespace

Simd best_simd() {
  static Simd const level = detect();
  return level;
}

std::vector<Simd> simd_levels() {
  std::vector<Simd> levels{Simd::generic};
  Simd const second = best_simd() >= Simd::neon ? Simd::neon : Simd::avx2;
  if (best_simd() >= second) levels.push_back(second);
  if (best_simd() > second) levels.push_back(best_simd());
  return levels;
}

Simd active_simd() {
  static Simd const level = decide();
  return level;
}

char const* name(Simd level) {
  switch (level) {
    case Simd::dotprod: return "dotprod";
    case Simd::neon: return "neon";
    case Simd::avx512: return "avx512";
    case Simd::avx2: return "avx2";
    default: return "generic";
  }
}

}  // namespace lookalike
