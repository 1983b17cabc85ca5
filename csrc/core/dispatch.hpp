// The vector instructions this process uses: detected once, or forced by LOOKALIKE_SIMD.
//
// A hot kernel lives in csrc/simd/<stem>.cpp and is compiled once per level into
// lookalike::simd::generic, ::avx2 and ::avx512. Such a file calls intrinsics and its own functions
// only: an inline function of the standard library compiled there could be the copy the linker
// keeps for everyone, and crash an older processor.
// All levels give the same bits: no contraction, one order of summation.
#pragma once
#include <cstdint>
#include <type_traits>

namespace lookalike {

enum class Simd { generic, avx2, avx512 };

Simd best_simd();    // what the processor and this build offer
Simd active_simd();  // what is used; throws std::invalid_argument when LOOKALIKE_SIMD is wrong
char const* name(Simd level);

// The member of a table of kernels that belongs to the active level:
//   static auto const& kernels = choose(simd::generic::moments, simd::avx2::moments, …);
template <class Table>
Table const& choose(Table const& generic, [[maybe_unused]] Table const& avx2,
                    [[maybe_unused]] Table const& avx512) {
  switch (active_simd()) {
    case Simd::avx512: return avx512;
    case Simd::avx2: return avx2;
    default: return generic;
  }
}

// The kernel of a table that reads rows of T.
template <class T, class Table>
auto kernel_of(Table const& table) {
  if constexpr (std::is_same_v<T, float>) return table.of_float;
  if constexpr (std::is_same_v<T, double>) return table.of_double;
  if constexpr (std::is_same_v<T, std::uint8_t>) return table.of_uint8;
  if constexpr (std::is_same_v<T, std::int8_t>) return table.of_int8;
}

}  // namespace lookalike

// Declares the three compiled twins of one table: LOOKALIKE_SIMD_TABLE(MomentKernels, moments);
#if defined(LOOKALIKE_X86)
#define LOOKALIKE_SIMD_TABLE(Type, table) \
  namespace simd::generic {               \
  extern Type const table;                \
  }                                       \
  namespace simd::avx2 {                  \
  extern Type const table;                \
  }                                       \
  namespace simd::avx512 {                \
  extern Type const table;                \
  }
#define LOOKALIKE_CHOOSE(table) \
  ::lookalike::choose(simd::generic::table, simd::avx2::table, simd::avx512::table)
#else
#define LOOKALIKE_SIMD_TABLE(Type, table) \
  namespace simd::generic {               \
  extern Type const table;                \
  }
#define LOOKALIKE_CHOOSE(table) (simd::generic::table)
#endif
