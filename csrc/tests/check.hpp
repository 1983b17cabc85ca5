// A condition that a test needs: says where it failed, and lets the test end with an error.
#pragma once
#include <cstdio>

namespace lookalike::test {

inline int failures = 0;

}  // namespace lookalike::test

#define CHECK(condition)                                                           \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      ++lookalike::test::failures;                                                 \
    }                                                                              \
  } while (false)
