// Kernels that are led by numbers from outside, called as libFuzzer's bytes say.
#include "fuzz_kernels.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  lookalike::call_kernels({data, size});
  return 0;
}
