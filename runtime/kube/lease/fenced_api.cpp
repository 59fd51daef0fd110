// SPDX-License-Identifier: Apache-2.0
#include "runtime/kube/lease/fenced_api.hpp"

#include <algorithm>
#include <utility>

namespace argosy::kube {

namespace {

class fenced_api final : public api {
 public:
  fenced_api(std::shared_ptr<api> real, std::function<boot_time()> until, const clock_source& clock)
      : real_(std::move(real)), until_(std::move(until)), clock_(clock) {}

  void ask(request what, answer_handler done) override {
    if (what.verb != "GET") {
      what.until = std::min(what.until, until_());
      if (what.until <= clock_.boot()) {
        done(fail(ec::cancelled, "this replica of the agent does not hold the lease any more"));
        return;
      }
    }
    real_->ask(std::move(what), std::move(done));
  }
  std::unique_ptr<watch> follow(std::string collection, follower& to) override {
    return real_->follow(std::move(collection), to);
  }
  std::unique_ptr<watch> read(request what, body_reader& to) override {
    return real_->read(std::move(what), to);
  }
  std::string server() const override { return real_->server(); }

 private:
  std::shared_ptr<api> real_;
  std::function<boot_time()> until_;
  const clock_source& clock_;
};

}  // namespace

std::shared_ptr<api> make_fenced_api(std::shared_ptr<api> real, std::function<boot_time()> until,
                                     const clock_source& clock) {
  return std::make_shared<fenced_api>(std::move(real), std::move(until), clock);
}

}  // namespace argosy::kube
