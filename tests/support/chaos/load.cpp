// SPDX-License-Identifier: Apache-2.0
#include "tests/support/chaos/load.hpp"

#include <algorithm>
#include <filesystem>

namespace argosy::chaos {

using std::chrono::milliseconds;

caller::caller(const secured_world& world, std::string name, std::uint64_t seed, bool bulk,
               const load_settings& how)
    : world_(world), name_(std::move(name)), numbers_(seed), bulk_(bulk), how_(how) {}

void caller::rest(milliseconds at_most) {
  next_ = clock::now() + milliseconds{static_cast<std::int64_t>(
                             numbers_.below(static_cast<std::uint64_t>(at_most.count()) + 1))};
}

void caller::prepare_jobs(std::vector<testing::job_text>& all) {
  const auto count = 1 + numbers_.below(6);
  for (std::size_t i = 0; i < count; ++i) {
    const milliseconds takes{static_cast<std::int64_t>(
        20 + numbers_.below(static_cast<std::uint64_t>(how_.job_max.count())))};
    const bool fails = numbers_.below(5) == 0;
    const auto manner = numbers_.below(4);
    all.push_back({world_.job_command(takes, fails ? 3 : 0,
                                      manner == 0   ? "deaf"
                                      : manner == 1 ? "child"
                                                    : ""),
                   "", "", "100m"});
    endings_.push_back(fails ? witness::ending::fails : witness::ending::succeeds);
  }
}

void caller::prepare() {
  key_ = name_ + "-" + std::to_string(++serial_);
  endings_.clear();
  std::vector<testing::job_text> all;
  if (bulk_) {
    // No node is that large, so that the jobs wait until they are cancelled.
    all.push_back({"true", "", "count: " + std::to_string(how_.bulk_count), "100000"});
    endings_.assign(how_.bulk_count, witness::ending::any);
  } else {
    prepare_jobs(all);
  }
  world_.deployment().write(name_ + ".yaml", testing::deployment::jobs(all, key_));
  begun_ = clock::now();
  step_ = step::submit;
}

void caller::launch() {
  auto how = step_ == step::cancel
                 ? world_.ctl_launch({"cancel", "-q", "q", "--jobset", key_, "--timeout", "5s"})
                 : world_.ctl_launch({"submit", file(".yaml"), "-o", "name", "--idempotency-key",
                                      key_, "--timeout", "5s"});
  how.out = file(".out");
  how.err = file(".err");
  for (const auto& path : {how.out, how.err}) std::filesystem::remove(path);
  process_ = testing::child{how};
  under_way_ = true;
}

void caller::answered(std::vector<witness::acknowledged>& told, load_counts& counts) {
  if (step_ == step::cancel) {
    ++counts.cancels;
    step_ = step::idle;
    return rest(how_.pause_max);
  }
  const auto lines = testing::lines_of(testing::content_of(file(".out")));
  for (std::size_t i = 0; i < lines.size() && i < endings_.size(); ++i)
    told.push_back({key_, i, lines[i].substr(std::string_view{"job/"}.size()), endings_[i]});
  counts.longest =
      std::max(counts.longest, std::chrono::duration_cast<milliseconds>(clock::now() - begun_));
  if (step_ == step::submit) {
    ++counts.submissions;
    if (numbers_.below(8) == 0) {
      step_ = step::again;
      return;
    }
  } else {
    ++counts.repeated;
  }
  step_ = bulk_ ? step::cancel : step::idle;
  rest(how_.pause_max);
}

void caller::poll(bool ending, std::vector<witness::acknowledged>& told, load_counts& counts) {
  if (step_ == step::done) return;
  if (under_way_) {
    if (process_.running()) return;
    under_way_ = false;
    if (process_.wait(milliseconds{0}) == 0) return answered(told, counts);
    ++counts.failed;
    return rest(milliseconds{200});
  }
  if (step_ == step::idle && ending) {
    step_ = step::done;
    return;
  }
  if (clock::now() < next_) return;
  if (step_ == step::idle) prepare();
  launch();
}

}  // namespace argosy::chaos
