// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-agent/metered_api.hpp"

#include <atomic>
#include <utility>
#include <vector>

namespace argosy {

namespace {

constexpr int http_unauthorized = 401;
constexpr int http_forbidden = 403;
constexpr int http_too_many = 429;
constexpr int http_bad_request = 400;
constexpr int http_server_error = 500;

/// Why the answer is none that was wished for; null if it is one.
const char* fault_of(const result<kube::answer>& from) {
  if (!from) {
    switch (from.error().code) {
      case ec::unreachable:
        return "unreachable";
      case ec::timeout:
        return "timeout";
      case ec::cancelled:
        return "cancelled";
      case ec::denied:
        return "denied";
      default:
        return "other";
    }
  }
  if (from->status >= http_server_error) return "failed";
  if (from->status == http_too_many) return "busy";
  if (from->status == http_unauthorized || from->status == http_forbidden) return "denied";
  return from->status >= http_bad_request ? "refused" : nullptr;
}

/// The follower between the API server and the true one.
class metered_follower final : public kube::follower {
 public:
  metered_follower(kube::follower& to, std::shared_ptr<probes::kube_probe> probe,
                   std::string collection, std::uint64_t number)
      : to_(to), probe_(std::move(probe)), collection_(std::move(collection)), number_(number) {
    probe_->follow(collection_, number_, false);
  }
  ~metered_follower() override { probe_->forget(collection_, number_); }

  void listed(std::vector<nlohmann::json> objects) override {
    probe_->follow(collection_, number_, true);
    to_.listed(std::move(objects));
  }
  void changed(kube::change what, nlohmann::json object) override {
    to_.changed(what, std::move(object));
  }
  void interrupted(const error& why) override {
    probe_->follow(collection_, number_, false);
    to_.interrupted(why);
  }
  void resumed() override {
    probe_->follow(collection_, number_, true);
    to_.resumed();
  }

 private:
  kube::follower& to_;
  std::shared_ptr<probes::kube_probe> probe_;
  std::string collection_;
  std::uint64_t number_;
};

/// Ends the watch before its follower.
class metered_watch final : public kube::watch {
 public:
  metered_watch(std::unique_ptr<metered_follower> follower, kube::api& real,
                const std::string& path)
      : follower_(std::move(follower)), real_(real.follow(path, *follower_)) {}

 private:
  std::unique_ptr<metered_follower> follower_;
  std::unique_ptr<kube::watch> real_;
};

class metered_api final : public kube::api {
 public:
  metered_api(std::shared_ptr<kube::api> real, std::shared_ptr<probes::kube_probe> probe,
              const clock_source& clock)
      : real_(std::move(real)), probe_(std::move(probe)), clock_(clock) {}

  void ask(kube::request what, kube::answer_handler done) override {
    const bool makes_pod = what.verb == "POST" && what.path.ends_with("/pods");
    auto counted = [probe = probe_, &clock = clock_, since = clock_.boot(), verb = what.verb,
                    makes_pod, done = std::move(done)](result<kube::answer> answer) {
      if (answer) probe->answers.add(verb, clock.boot() - since);
      if (const auto* why = fault_of(answer))
        probe->errors.add(verb, why);
      else if (makes_pod)
        ++probe->pods_made;
      done(std::move(answer));
    };
    real_->ask(std::move(what), std::move(counted));
  }
  std::unique_ptr<kube::watch> follow(std::string collection, kube::follower& to) override {
    auto follower =
        std::make_unique<metered_follower>(to, probe_, name_of_collection(collection), ++followed_);
    return std::make_unique<metered_watch>(std::move(follower), *real_, collection);
  }
  std::unique_ptr<kube::watch> read(kube::request what, kube::body_reader& to) override {
    return real_->read(std::move(what), to);
  }
  std::string server() const override { return real_->server(); }

 private:
  std::shared_ptr<kube::api> real_;
  std::shared_ptr<probes::kube_probe> probe_;
  const clock_source& clock_;
  std::atomic<std::uint64_t> followed_ = 0;
};

}  // namespace

std::string name_of_collection(const std::string& path) {
  const auto end = path.find('?');
  const auto folder = path.substr(0, end);
  auto name = folder.substr(folder.rfind('/') + 1);
  const bool is_of_others = end != std::string::npos && path.find("%21%3D", end) < path.find('&');
  if (name == "pods" && is_of_others) name = "other pods";
  return name;
}

std::shared_ptr<kube::api> make_metered_api(std::shared_ptr<kube::api> real,
                                            std::shared_ptr<probes::kube_probe> probe,
                                            const clock_source& clock) {
  return std::make_shared<metered_api>(std::move(real), std::move(probe), clock);
}

}  // namespace argosy
