// SPDX-License-Identifier: Apache-2.0
#include "bins/argosy-agent/metered_api.hpp"

#include <atomic>
#include <optional>
#include <sstream>
#include <string_view>
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

/// `took` is nothing for a fault of what was answered before.
void count(probes::kube_probe& probe, const std::string& verb, const result<kube::answer>& how,
           std::optional<boot_time> took) {
  if (how && took) probe.answers.add(verb, *took);
  if (const auto* why = fault_of(how)) probe.errors.add(verb, why);
}

/// The parts of a path between its slashes, without those before the resource.
std::vector<std::string> resource_parts(const std::string& path) {
  std::vector<std::string> out;
  std::istringstream text{path.substr(0, path.find('?'))};
  for (std::string part; std::getline(text, part, '/');)
    if (!part.empty()) out.push_back(part);
  const std::size_t before = out.empty() ? 0 : out[0] == "api" ? 2 : out[0] == "apis" ? 3 : 0;
  if (before == 0 || before > out.size()) return {};
  out.erase(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(before));
  return out;
}

/// The follower between the API server and the true one.
class metered_follower final : public kube::follower {
 public:
  metered_follower(kube::follower& to, std::shared_ptr<probes::kube_probe> probe,
                   const clock_source& clock, probes::kube_probe::followed what,
                   std::uint64_t number)
      : to_(to), probe_(std::move(probe)), clock_(clock), what_(std::move(what)), number_(number) {
    probe_->heard(what_, number_);
  }
  ~metered_follower() override { probe_->forget(what_, number_); }

  void listed(std::vector<nlohmann::json> objects) override { to_.listed(std::move(objects)); }
  void changed(kube::change what, nlohmann::json object) override {
    to_.changed(what, std::move(object));
  }
  void interrupted(const error& why) override { to_.interrupted(why); }
  void resumed() override { to_.resumed(); }
  void asked(std::string_view verb) override {
    asked_ = clock_.boot();
    to_.asked(verb);
  }
  void answered(std::string_view verb, const result<kube::answer>& how) override {
    std::optional<boot_time> took;
    if (asked_) took = clock_.boot() - *asked_;
    count(*probe_, std::string{verb}, how, took);
    asked_.reset();
    to_.answered(verb, how);
  }
  void heard() override {
    probe_->heard(what_, number_);
    to_.heard();
  }

 private:
  kube::follower& to_;
  std::shared_ptr<probes::kube_probe> probe_;
  const clock_source& clock_;
  probes::kube_probe::followed what_;
  std::uint64_t number_;
  std::optional<boot_time> asked_;  ///< Nothing once that was answered.
};

/// The same for an answer that is read as it comes.
class metered_reader final : public kube::body_reader {
 public:
  metered_reader(kube::body_reader& to, std::shared_ptr<probes::kube_probe> probe,
                 const clock_source& clock, std::string verb)
      : to_(to),
        probe_(std::move(probe)),
        clock_(clock),
        verb_(std::move(verb)),
        asked_(clock.boot()) {}

  bool came(std::string_view bytes) override {
    if (!std::exchange(began_, true)) probe_->answers.add(verb_, clock_.boot() - asked_);
    return to_.came(bytes);
  }
  void ended(result<kube::answer> how) override {
    std::optional<boot_time> took;
    if (!began_) took = clock_.boot() - asked_;
    count(*probe_, verb_, how, took);
    to_.ended(std::move(how));
  }

 private:
  kube::body_reader& to_;
  std::shared_ptr<probes::kube_probe> probe_;
  const clock_source& clock_;
  std::string verb_;
  boot_time asked_;
  bool began_ = false;
};

/// Ends the watch before who is told of it.
template <class Told>
class metered_watch final : public kube::watch {
 public:
  template <class Begin>
  metered_watch(std::unique_ptr<Told> told, Begin begin)
      : told_(std::move(told)), real_(begin(*told_)) {}

 private:
  std::unique_ptr<Told> told_;
  std::unique_ptr<kube::watch> real_;
};

class metered_api final : public kube::api {
 public:
  metered_api(std::shared_ptr<kube::api> real, std::shared_ptr<probes::kube_probe> probe,
              const clock_source& clock)
      : real_(std::move(real)), probe_(std::move(probe)), clock_(clock) {}

  void ask(kube::request what, kube::answer_handler done) override {
    const bool makes_pod = what.verb == "POST" && what.path.ends_with("/pods");
    auto counted = [probe = probe_, &clock = clock_, since = clock_.boot(), verb = verb_of(what),
                    makes_pod, done = std::move(done)](result<kube::answer> answer) {
      count(*probe, verb, answer, clock.boot() - since);
      if (makes_pod && fault_of(answer) == nullptr) ++probe->pods_made;
      done(std::move(answer));
    };
    real_->ask(std::move(what), std::move(counted));
  }
  std::unique_ptr<kube::watch> follow(std::string collection, kube::follower& to) override {
    auto told = std::make_unique<metered_follower>(to, probe_, clock_, followed_by(collection),
                                                   ++followed_);
    return std::make_unique<metered_watch<metered_follower>>(
        std::move(told), [&](auto& each) { return real_->follow(std::move(collection), each); });
  }
  std::unique_ptr<kube::watch> read(kube::request what, kube::body_reader& to) override {
    auto told = std::make_unique<metered_reader>(to, probe_, clock_, verb_of(what));
    return std::make_unique<metered_watch<metered_reader>>(
        std::move(told), [&](auto& each) { return real_->read(std::move(what), each); });
  }
  std::string server() const override { return real_->server(); }

 private:
  std::shared_ptr<kube::api> real_;
  std::shared_ptr<probes::kube_probe> probe_;
  const clock_source& clock_;
  std::atomic<std::uint64_t> followed_ = 0;
};

}  // namespace

probes::kube_probe::followed followed_by(const std::string& path) {
  const auto parts = resource_parts(path);
  probes::kube_probe::followed out;
  if (!parts.empty()) out.collection = parts.back();
  if (parts.size() > 2 && parts[0] == "namespaces") out.name_space = parts[1];
  const auto query = path.find('?');
  const bool is_of_others =
      query != std::string::npos && path.find("%21%3D", query) < path.find('&');
  if (out.collection == "pods" && is_of_others) out.collection = "other pods";
  return out;
}

std::string verb_of(const kube::request& what) {
  const auto& http = what.verb;
  if (http == "POST") return "create";
  if (http == "PUT") return "update";
  if (http == "PATCH") return "patch";
  if (http == "DELETE") return "delete";
  auto parts = resource_parts(what.path);
  if (parts.size() > 2 && parts[0] == "namespaces") parts.erase(parts.begin(), parts.begin() + 2);
  if (parts.size() == 3 && parts[2] == "log") return "log";
  return parts.size() == 1 ? "list" : "get";
}

std::shared_ptr<kube::api> make_metered_api(std::shared_ptr<kube::api> real,
                                            std::shared_ptr<probes::kube_probe> probe,
                                            const clock_source& clock) {
  return std::make_shared<metered_api>(std::move(real), std::move(probe), clock);
}

}  // namespace argosy
