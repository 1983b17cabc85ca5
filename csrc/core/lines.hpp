// Memory on a cache line, left as it comes: who needs it writes it first.
#pragma once
#include <cstddef>
#include <new>
#include <vector>

namespace lookalike {

template <class T>
struct LineAllocator {
  using value_type = T;
  LineAllocator() = default;
  template <class U>
  LineAllocator(LineAllocator<U> const&) {}  // NOLINT: implicit, as containers require
  T* allocate(std::size_t n) {
    return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{64}));
  }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, std::align_val_t{64}); }
  template <class U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  friend bool operator==(LineAllocator const&, LineAllocator const&) { return true; }
};
template <class T>
using Lines = std::vector<T, LineAllocator<T>>;

}  // namespace lookalike
