// The pool: every task once, errors and cancellation reach the caller, callers do not disturb
// each other, and a forked child has a pool of its own.
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"
#include "core/parallel.hpp"

#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace lookalike;

namespace {

std::size_t sum_of_tasks(std::size_t tasks, std::size_t threads) {
  std::vector<std::size_t> by_worker(threads, 0);
  parallel_for(tasks, threads,
               [&](std::size_t task, std::size_t worker) { by_worker[worker] += task; });
  std::size_t sum = 0;
  for (std::size_t part : by_worker) sum += part;
  return sum;
}

void every_task_runs_once() {
  for (std::size_t threads : {1, 2, 3, 8}) {
    std::vector<std::atomic<int>> runs(1000);
    parallel_for(runs.size(), threads, [&](std::size_t task, std::size_t worker) {
      CHECK(worker < threads);
      ++runs[task];
    });
    for (auto const& count : runs) CHECK(count == 1);
  }
  parallel_for(0, 4, [](std::size_t, std::size_t) { CHECK(false); });
}

void blocks_hold_every_item_once() {
  for (std::size_t count : {0, 1, 63, 64, 65, 1000}) {
    std::vector<std::atomic<int>> runs(count);
    parallel_blocks(count, 64, 3, [&](std::size_t begin, std::size_t end, std::size_t worker) {
      CHECK(begin < end && end <= count && end - begin <= 64 && worker < 3);
      for (std::size_t i = begin; i < end; ++i) ++runs[i];
    });
    for (auto const& times : runs) CHECK(times == 1);
  }
}

void an_exception_reaches_the_caller_and_stops_the_rest() {
  constexpr std::size_t kMany = 10'000'000'000;  // hours, unless the exception ends them
  std::atomic<std::size_t> started{0};
  try {
    parallel_for(kMany, 4, [&](std::size_t task, std::size_t) {
      ++started;
      if (task == 10) throw std::runtime_error("task 10");
    });
    CHECK(false);
  } catch (std::runtime_error const& error) {
    CHECK(std::string(error.what()) == "task 10");
  }
  CHECK(started < kMany);
  CHECK(sum_of_tasks(100, 4) == 4950);
}

std::atomic<bool> interrupt{false};

void an_interrupt_cancels_soon() {
  set_interrupt_check([] { return interrupt.load(); });
  for (std::size_t threads : {1, 3}) {
    interrupt = false;
    std::thread later([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      interrupt = true;
    });
    bool cancelled = false;
    try {
      parallel_for(threads, threads, [](std::size_t, std::size_t) {
        for (;;) checkpoint();
      });
    } catch (Cancelled const&) {
      cancelled = true;
    }
    CHECK(cancelled);
    later.join();
  }
  set_interrupt_check(nullptr);
}

void a_loop_inside_a_task_runs_on_its_thread() {
  std::atomic<int> runs{0};
  parallel_for(4, 2, [&](std::size_t, std::size_t) {
    auto const here = std::this_thread::get_id();
    parallel_for(10, 8, [&](std::size_t, std::size_t worker) {
      CHECK(worker == 0);
      CHECK(std::this_thread::get_id() == here);
      ++runs;
    });
  });
  CHECK(runs == 40);
}

void many_callers_share_the_pool() {
  std::vector<std::thread> callers;
  std::atomic<int> right{0};
  for (int caller = 0; caller < 16; ++caller)
    callers.emplace_back([&] {
      for (int round = 0; round < 20; ++round) right += sum_of_tasks(200, 3) == 19900;
    });
  for (auto& caller : callers) caller.join();
  CHECK(right == 320);
}

void a_forked_child_has_a_pool() {
#if !defined(_WIN32) && !defined(__SANITIZE_THREAD__)
  CHECK(sum_of_tasks(100, 4) == 4950);
  pid_t const child = fork();
  if (child == 0) _exit(sum_of_tasks(100, 4) == 4950 ? 0 : 1);
  int status = 1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
#endif
}

void the_default_number_of_threads_can_be_set() {
  set_default_threads(3);
  CHECK(default_threads() == 3);
  set_default_threads(0);
  CHECK(default_threads() >= 1);
}

}  // namespace

int main() {
  every_task_runs_once();
  blocks_hold_every_item_once();
  an_exception_reaches_the_caller_and_stops_the_rest();
  an_interrupt_cancels_soon();
  a_loop_inside_a_task_runs_on_its_thread();
  many_callers_share_the_pool();
  a_forked_child_has_a_pool();
  the_default_number_of_threads_can_be_set();
}
