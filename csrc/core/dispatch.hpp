// The vector instructions this process uses: detected once, or forced by LOOKALIKE_SIMD.
//
// A hot kernel lives in csrc/simd/<stem>.cpp and is compiled once per level into
// lookalike::simd::generic and, by processor, ::avx2 and ::avx512, or ::neon and ::dotprod. Such a
// file calls intrinsics and its own functions only: an inline function of the standard library
// compiled there could be the copy the linker keeps for everyone, and crash an older processor.
// All levels give the same bits: no contraction, one order of summation.
#pragma once
#include <cstdint>
#include <type_traits>
#include <vector>

namespace lookalike {

// Of one processor each level can do what those before it can.
enum class Simd { generic, avx2, avx512, neon, dotprod };

Simd best_simd();                 // what the processor and this build offer
std::vector<Simd> simd_levels();  // these, and all below the best
Simd active_simd();  // what is used; throws std::invalid_argument when LOOKALIKE_SIMD is wrong
char const* name(Simd level);

// The member of a table of kernels that belongs to the active level, of the three of a processor:
//   static auto const& kernels = choose(simd::generic::moments, simd::avx2::moments, …);
template <class Table>
Table const& choose(Table const& generic, Table const& second, Table const& third) {
  switch (active_simd()) {
    case Simd::avx512:
    case Simd::dotprod: return third;
    case Simd::avx2:
    case Simd::neon: return second;
    default: return generic;
  }
}

// The members of a table of kernels for all levels of this machine, for tests.
template <class Table, class... Tables>
std::vector<Table const*> available(Table const& generic, Tables const&... others) {
  std::vector<Table const*> tables{&generic, &others...};
  tables.resize(simd_levels().size());
  return tables;
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

// Declares the compiled twins of one table: LOOKALIKE_SIMD_TABLE(MomentKernels, moments);
#define LOOKALIKE_LEVEL_TABLE(level, Type, table) \
  namespace simd::level {                         \
  extern Type const table;                        \
  }
#if defined(LOOKALIKE_X86)
#define LOOKALIKE_SIMD_TABLE(Type, table)     \
  LOOKALIKE_LEVEL_TABLE(generic, Type, table) \
  LOOKALIKE_LEVEL_TABLE(avx2, Type, table)    \
  LOOKALIKE_LEVEL_TABLE(avx512, Type, table)
#define LOOKALIKE_CHOOSE(table) \
  ::lookalike::choose(simd::generic::table, simd::avx2::table, simd::avx512::table)
#define LOOKALIKE_AVAILABLE(table) \
  ::lookalike::available(simd::generic::table, simd::avx2::table, simd::avx512::table)
#elif defined(LOOKALIKE_ARM)
#define LOOKALIKE_SIMD_TABLE(Type, table)     \
  LOOKALIKE_LEVEL_TABLE(generic, Type, table) \
  LOOKALIKE_LEVEL_TABLE(neon, Type, table)    \
  LOOKALIKE_LEVEL_TABLE(dotprod, Type, table)
#define LOOKALIKE_CHOOSE(table) \
  ::lookalike::choose(simd::generic::table, simd::neon::table, simd::dotprod::table)
#define LOOKALIKE_AVAILABLE(table) \
  ::lookalike::available(simd::generic::table, simd::neon::table, simd::dotprod::table)
#else
#define LOOKALIKE_SIMD_TABLE(Type, table) LOOKALIKE_LEVEL_TABLE(generic, Type, table)
#define LOOKALIKE_CHOOSE(table) (simd::generic::table)
#define LOOKALIKE_AVAILABLE(table) ::lookalike::available(simd::generic::table)
#endif
