// SPDX-License-Identifier: Apache-2.0
// Goal: what a round costs when little has changed since the last one, by a pool's state that lives
// on and by schedule(), and how many rounds had to make that state anew. Method: nodes of 32 cores
// that are full with running jobs of 4 cores, and jobs of 4 to 16 cores that wait in 100 queues. In
// each step some jobs end and as many come, the round is decided both ways, and its plan is carried
// out. Arguments: nodes, queued jobs, changes in a step, steps, the part of the nodes that the
// first queue has, and the preset.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "runtime/scheduling/pool_state.hpp"
#include "runtime/scheduling/tables.hpp"

namespace {

using namespace argosy;
using namespace argosy::scheduling;

constexpr int queues = 100;
constexpr int jobs_of_node = 8;

class steady_world {
 public:
  steady_world(int nodes, int queued, double first_part, preset name)
      : conf(std::make_shared<config>(default_config(name))), snap(*conf) {
    for (int n = 0; n < nodes; ++n) {
      node_row row;
      row.id = node_of(n);
      row.executor = "cluster" + std::to_string(n % 50);
      row.pool = "default";
      row.total = {{"cpu", 32'000}, {"memory", std::int64_t{128} << 30}};
      if (!snap.upsert_node(row)) std::abort();
    }
    for (int q = 0; q < queues; ++q)
      if (!snap.upsert_queue({queue_of(q), 1.0, false, {}})) std::abort();
    shape_row shape;
    const auto gives_way = [](const auto& of) { return of.fair_share_preemptible; };
    const auto& classes = conf->classes;
    const auto of = std::find_if(classes.begin(), classes.end(), gives_way);
    if (of == classes.end()) std::abort();
    shape.priority_class = of->name;
    for (const int cores : {4, 8, 12, 16}) {
      shape.requests = {{"cpu", cores * 1000}, {"memory", std::int64_t{4} << 30}};
      shapes_.push_back(snap.intern(shape).value());
    }
    const auto of_first = static_cast<int>(first_part * nodes);
    for (int n = 0; n < nodes; ++n)
      for (int i = 0; i < jobs_of_node; ++i) {
        auto row = job(n < of_first ? 0 : draw(queues), 0);
        row.run = run_row{node_of(n), 1, of->priority, "default", false};
        running_.push_back(row.id);
        tell(row);
      }
    for (int i = 0; i < queued; ++i) submit();
    snap.settle();
  }

  void step(int changes, const plan& last) {
    for (const auto& l : last.leases) {
      auto row = job_row{};
      const auto& record = snap.data().jobs[l.job_index];
      row.id = l.job;
      row.queue = snap.data().queues[record.queue].name;
      row.shape = record.shape;
      row.submit_ns = record.submit_ns;
      row.run = run_row{std::string(snap.node_id(l.node)), ++time_, l.priority, "default", false};
      leased_.push_back(row);
    }
    for (const auto& row : leased_) {
      running_.push_back(row.id);
      tell(row);
    }
    leased_.clear();
    for (const auto& p : last.preemptions) snap.remove_job(p.job);
    for (int i = 0; i < changes / 2; ++i) {
      auto& one = running_[draw(static_cast<int>(running_.size()))];
      snap.remove_job(one);
      one = running_.back();
      running_.pop_back();
      submit();
    }
    snap.settle();
  }

  std::shared_ptr<const config> conf;
  snapshot snap;

 private:
  static std::string node_of(int n) { return "node" + std::to_string(1'000'000 + n); }
  static std::string queue_of(int q) { return "queue" + std::to_string(100 + q); }
  int draw(int below) {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((random_ >> 33) % static_cast<std::uint64_t>(below));
  }
  job_row job(int queue, std::size_t shape) {
    job_row row;
    ++born_;
    for (int i = 0; i < 8; ++i) row.id.bytes[15 - i] = static_cast<std::uint8_t>(born_ >> (8 * i));
    row.queue = queue_of(queue);
    row.shape = shapes_[shape];
    row.submit_ns = ++time_;
    return row;
  }
  void submit() { tell(job(draw(queues), static_cast<std::size_t>(draw(4)))); }
  void tell(const job_row& row) {
    if (!snap.upsert_job(row)) std::abort();
  }

  std::vector<shape_id> shapes_;
  std::vector<ulid> running_;
  std::vector<job_row> leased_;
  std::uint64_t random_ = 1;
  std::uint64_t born_ = 0;
  std::int64_t time_ = 0;
};

/// The time that this thread has had a processor, which other programs hardly change.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void print(const char* what, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  std::printf(" %s median %.3f ms, most %.3f ms;", what, times[times.size() / 2] * 1e3,
              times.back() * 1e3);
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int at, const char* usual) { return argc > at ? argv[at] : usual; };
  const auto nodes = std::atoi(argument(1, "1000"));
  const auto queued = std::atoi(argument(2, "10000"));
  const auto changes = std::atoi(argument(3, "100"));
  const auto steps = std::atoi(argument(4, "5"));
  const auto part = std::atof(argument(5, "0.01"));
  const auto name = parse_preset(argument(6, "argosy"));
  if (nodes < 1 || steps < 1 || !name) return 2;
  steady_world at(nodes, queued, part, *name);
  pool_state state;
  plan last = state.decide(at.snap, at.conf, {});
  std::vector<double> folding;
  std::vector<double> kept;
  std::vector<double> fresh;
  std::size_t decided = 0;
  for (int i = 0; i < steps; ++i) {
    auto start = cpu_seconds();
    at.step(changes, last);
    folding.push_back(cpu_seconds() - start);
    start = cpu_seconds();
    last = state.decide(at.snap, at.conf, {});
    kept.push_back(cpu_seconds() - start);
    start = cpu_seconds();
    const auto other = schedule(at.snap, *at.conf, {});
    fresh.push_back(cpu_seconds() - start);
    if (other.digest != last.digest || !other.error.empty() || !other.violation.empty()) {
      std::printf("step %d: other decisions %s%s\n", i, other.error.c_str(),
                  other.violation.c_str());
      return 1;
    }
    decided += last.leases.size() + last.preemptions.size();
  }
  std::printf("%s, %d nodes, %d queued, %d changes:", argument(6, "argosy"), nodes, queued,
              changes);
  print("fold", folding);
  print("kept", kept);
  print("fresh", fresh);
  std::printf(" %zu decisions, %llu of %d rounds made anew\n", decided,
              static_cast<unsigned long long>(state.made_anew() - 1), steps);
  return 0;
}
