#include "core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif
#if !defined(_WIN32)
#include <pthread.h>
#endif

namespace lookalike {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPollEvery = std::chrono::milliseconds(20);
constexpr std::size_t kMostThreads = 512;

std::atomic<InterruptCheck> interrupt_check{nullptr};
std::atomic<std::size_t> chosen_threads{0};

std::size_t usable_cores() {
#if defined(__linux__)
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) == 0)
    return static_cast<std::size_t>(std::max(1, CPU_COUNT(&mask)));
#endif
  return std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

struct Job {
  Job(Task body, std::size_t count, std::size_t helpers)
      : task(body), tasks(count), free_seats(helpers) {}

  Task task;
  std::size_t tasks;
  std::size_t
      free_seats;  // threads that may still join, the caller not counted; guarded by the pool
  std::size_t at_work = 0;
  std::size_t next_worker = 1;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
  std::exception_ptr failure;  // guarded by the pool
  std::condition_variable left;

  bool open() const { return free_seats > 0 && next.load(std::memory_order_relaxed) < tasks; }
};

thread_local Job* current_job = nullptr;
thread_local bool is_caller = false;
thread_local Clock::time_point last_poll;

void poll_interrupt(Job& job) {
  auto const now = Clock::now();
  if (now - last_poll < kPollEvery) return;
  last_poll = now;
  InterruptCheck const check = interrupt_check.load(std::memory_order_acquire);
  if (check != nullptr && check()) job.stop.store(true, std::memory_order_relaxed);
}

class Pool {
 public:
  void run(Job& job) {
    if (job.free_seats == 0)
      work(job, 0, true);  // the caller alone: no thread is woken to find nothing to do
    else
      share(job);
    if (job.failure) std::rethrow_exception(job.failure);
    if (job.stop.load()) throw Cancelled();
  }

  std::mutex& mutex() { return mutex_; }

 private:
  void share(Job& job) {
    std::list<Job*>::iterator place;
    bool all;
    {
      std::lock_guard lock(mutex_);
      grow(job.free_seats);
      all = job.free_seats > 1;
      place = jobs_.insert(jobs_.end(), &job);
    }
    if (all)
      wake_.notify_all();
    else
      wake_.notify_one();
    work(job, 0, true);
    std::unique_lock lock(mutex_);
    jobs_.erase(place);
    while (job.at_work > 0) {
      job.left.wait_for(lock, kPollEvery);
      if (job.at_work == 0) break;
      lock.unlock();
      poll_interrupt(job);
      lock.lock();
    }
  }

  void grow(std::size_t wanted) {
    try {
      for (; size_ < std::min(wanted, kMostThreads); ++size_)
        std::thread([this] { serve(); }).detach();
    } catch (std::system_error const&) {
      // The system starts no more threads: those there are, the caller among them, do the work.
    }
  }

  [[noreturn]] void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      auto const open =
          std::find_if(jobs_.begin(), jobs_.end(), [](Job const* job) { return job->open(); });
      if (open == jobs_.end()) {
        wake_.wait(lock);
        continue;
      }
      Job& job = **open;
      std::size_t const worker = job.next_worker++;
      --job.free_seats;
      ++job.at_work;
      lock.unlock();
      work(job, worker, false);
      lock.lock();
      if (--job.at_work == 0) job.left.notify_one();
    }
  }

  void work(Job& job, std::size_t worker, bool caller) {
    current_job = &job;
    is_caller = caller;
    try {
      for (;;) {
        if (caller) poll_interrupt(job);
        if (job.stop.load(std::memory_order_relaxed)) break;
        std::size_t const task = job.next.fetch_add(1, std::memory_order_relaxed);
        if (task >= job.tasks) break;
        job.task(task, worker);
      }
    } catch (Cancelled const&) {
      job.stop.store(true, std::memory_order_relaxed);
    } catch (...) {
      std::lock_guard lock(mutex_);
      if (!job.failure) job.failure = std::current_exception();
      job.stop.store(true, std::memory_order_relaxed);
    }
    current_job = nullptr;
    is_caller = false;
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::list<Job*> jobs_;
  std::size_t size_ = 0;
};

// Never destroyed: its threads sleep until the process ends. A forked child, in which those
// threads do not exist, gets a new pool.
Pool* the_pool = nullptr;
std::once_flag pool_once;

Pool& pool() {
  std::call_once(pool_once, [] {
    the_pool = new Pool;
#if !defined(_WIN32)
    pthread_atfork([] { the_pool->mutex().lock(); }, [] { the_pool->mutex().unlock(); },
                   [] {
                     the_pool = new Pool;
                     current_job = nullptr;
                   });
#endif
  });
  return *the_pool;
}

}  // namespace

void run_tasks(std::size_t tasks, std::size_t threads, Task task) {
  if (tasks == 0) return;
  if (current_job != nullptr) {  // inside a task: this thread is all there is
    for (std::size_t i = 0; i < tasks; ++i) {
      checkpoint();
      task(i, 0);
    }
    return;
  }
  std::size_t const wanted = std::min(threads == 0 ? default_threads() : threads, tasks);
  last_poll = Clock::now();
  Job job(task, tasks, wanted - 1);
  pool().run(job);
}

void checkpoint() {
  if (current_job == nullptr) return;
  if (is_caller) poll_interrupt(*current_job);
  if (current_job->stop.load(std::memory_order_relaxed)) throw Cancelled();
}

std::size_t default_threads() {
  std::size_t const chosen = chosen_threads.load();
  return chosen > 0 ? chosen : usable_cores();
}

void set_default_threads(std::size_t threads) {
  chosen_threads.store(std::min(threads, kMostThreads));
}

void set_interrupt_check(InterruptCheck check) { interrupt_check.store(check); }

}  // namespace lookalike
