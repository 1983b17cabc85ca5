// The vector instructions of the level that is being compiled.
#pragma once
#include "core/portable.hpp"

#if defined(LOOKALIKE_LEVEL_avx2) || defined(LOOKALIKE_LEVEL_avx512)
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
