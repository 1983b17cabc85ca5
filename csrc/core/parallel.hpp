// One small pool of threads: shared by all callers, cancellable, and usable again after fork().
#pragma once
#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <type_traits>

namespace lookalike {

// Thrown to the caller of parallel_for when the work was stopped before its end.
struct Cancelled : std::exception {
  char const* what() const noexcept override { return "the computation was cancelled"; }
};

// A task as a plain pointer pair: the callable outlives the call, so nothing is allocated.
class Task {
 public:
  template <class F>
    requires(!std::is_same_v<std::remove_const_t<F>, Task> &&  // a copy must not wrap its source
             std::is_invocable_v<F&, std::size_t, std::size_t>)
  Task(F& call)  // NOLINT: implicit, so that a lambda can be passed
      : object_(std::addressof(call)),
        call_([](void* object, std::size_t task, std::size_t worker) {
          (*static_cast<F*>(object))(task, worker);
        }) {}
  void operator()(std::size_t task, std::size_t worker) const { call_(object_, task, worker); }

 private:
  void* object_;
  void (*call_)(void*, std::size_t, std::size_t);
};

void run_tasks(std::size_t tasks, std::size_t threads, Task task);

// Calls body(task, worker) once for every task in [0, tasks), on at most `threads` threads, the
// caller among them; `worker` < threads names the thread, for scratch memory. Tasks start in order
// but end in any: what they write must not depend on which thread ran them. A parallel_for inside
// a task runs on the thread of that task alone. The first exception of a task reaches the caller.
template <class F>
void parallel_for(std::size_t tasks, std::size_t threads, F&& body) {
  run_tasks(tasks, threads, Task(body));
}

// Calls body(begin, end, worker) for every block of at most `size` of `count` items, as
// parallel_for calls tasks.
template <class F>
void parallel_blocks(std::size_t count, std::size_t size, std::size_t threads, F&& body) {
  parallel_for((count + size - 1) / size, threads, [&](std::size_t task, std::size_t worker) {
    body(task * size, std::min(count, (task + 1) * size), worker);
  });
}

// To be called now and then by tasks longer than some 20 ms: throws Cancelled when asked to stop.
void checkpoint();

// How many threads a call uses when it is given none: 0 restores the number of usable cores.
std::size_t default_threads();
void set_default_threads(std::size_t threads);

// Asked about every 20 ms on the calling thread while it works or waits; true cancels the call.
using InterruptCheck = bool (*)();
void set_interrupt_check(InterruptCheck check);

}  // namespace lookalike
