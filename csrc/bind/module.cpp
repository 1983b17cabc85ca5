// The native module: lists the bindings of every stem, and how Python interrupts C++.
#include "bind/module.hpp"

#include "bind/arrays.hpp"
#include "core/dispatch.hpp"
#include "core/parallel.hpp"
#include "core/portable.hpp"

namespace lookalike::bind {
namespace {

bool python_interrupts() {
  if (!Py_IsInitialized()) return false;
  nb::gil_scoped_acquire locked;
  return PyErr_CheckSignals() != 0;
}

void bind_parallel(nb::module_& m) {
  set_interrupt_check(python_interrupts);
  nb::register_exception_translator([](std::exception_ptr const& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (Cancelled const&) {
      if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
  m.def("default_threads", &default_threads, "Threads a call uses when it is given none.");
  m.def("set_default_threads", &set_default_threads, "threads"_a,
        "Set the threads of later calls; 0 restores the usable cores.");
}

void bind_simd(nb::module_& m) {
  m.def("simd_level", [] { return name(active_simd()); }, "The vector level in use.");
  m.def("best_simd_level", [] { return name(best_simd()); }, "The best level this machine offers.");
  m.def(
      "simd_levels",
      [] {
        nb::list names;
        for (Simd const level : simd_levels()) names.append(name(level));
        return names;
      },
      "All levels this machine offers, the best last.");
  active_simd();  // a wrong LOOKALIKE_SIMD is an error at import
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The arithmetic of lookalike.";
#ifdef NDEBUG
  nb::set_leak_warnings(false);  // a thread that outlives the interpreter may hold an index
#endif
  bind_simd(m);
  bind_parallel(m);
  bind_assign(m);
  bind_block_search(m);
  bind_moments(m);
  bind_cluster_tree(m);
  bind_boosted(m);
  bind_components(m);
  bind_spanning_forest(m);
  bind_distance(m);
  bind_donors(m);
  bind_exact(m);
  bind_forest(m);
  bind_pair_keys(m);
  bind_read_rows(m);
  bind_scan(m);
  bind_shifted(m);
  bind_transform(m);
  bind_kdtree(m);
  bind_layout(m);
  bind_lsh(m);
  bind_kernel_sums(m);
  bind_mixture(m);
  bind_mutual_information(m);
  bind_leave_one_out(m);
  bind_softmax_loss(m);
  bind_votes(m);
}

}  // namespace lookalike::bind

// For threadpoolctl, which looks for plain C functions in loaded libraries.
LOOKALIKE_EXPORT int lookalike_get_num_threads();
LOOKALIKE_EXPORT void lookalike_set_num_threads(int threads);
LOOKALIKE_EXPORT int lookalike_get_num_threads() {
  return static_cast<int>(lookalike::default_threads());
}
LOOKALIKE_EXPORT void lookalike_set_num_threads(int threads) {
  lookalike::set_default_threads(threads > 0 ? static_cast<std::size_t>(threads) : 0);
}
