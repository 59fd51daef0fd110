// SPDX-License-Identifier: Apache-2.0
// Goal: an agent's metrics say how its API server answers, which watches it does not tell of, and
// how many pods were made. Method: an API server that answers what the test wants, and a clock that
// is set by hand; families are compared.
#include "bins/argosy-agent/metered_api.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "runtime/base/clock.hpp"

namespace argosy {
namespace {

using namespace std::chrono_literals;

class scripted_api final : public kube::api {
 public:
  explicit scripted_api(manual_clock& clock) : clock_(clock) {}
  void ask(kube::request, kube::answer_handler done) override {
    clock_.advance(30ms);
    done(next);
  }
  std::unique_ptr<kube::watch> follow(std::string, kube::follower& to) override {
    follower = &to;
    return std::make_unique<kube::watch>();
  }
  std::unique_ptr<kube::watch> read(kube::request, kube::body_reader&) override {
    return std::make_unique<kube::watch>();
  }
  std::string server() const override { return "https://k:6443"; }

  result<kube::answer> next = kube::answer{200, "{}"};
  kube::follower* follower = nullptr;

 private:
  manual_clock& clock_;
};

struct quiet_follower final : kube::follower {
  void listed(std::vector<nlohmann::json>) override { ++told; }
  void changed(kube::change, nlohmann::json) override { ++told; }
  void interrupted(const error&) override { ++told; }
  void resumed() override { ++told; }
  int told = 0;
};

struct metered_api : ::testing::Test {
  std::optional<double> value(const std::string& family, const std::string& label = {}) const {
    for (const auto& each : probe->families())
      for (const auto& sample : each.samples)
        if (each.name == family && (label.empty() || sample.labels.back().second == label))
          return sample.value;
    return std::nullopt;
  }
  void ask(const std::string& verb, const std::string& path, result<kube::answer> answer) {
    real->next = std::move(answer);
    api->ask({verb, path}, [this](const auto&) { ++answers; });
  }

  manual_clock clock;
  std::shared_ptr<scripted_api> real = std::make_shared<scripted_api>(clock);
  std::shared_ptr<probes::kube_probe> probe = std::make_shared<probes::kube_probe>(clock);
  std::shared_ptr<kube::api> api = make_metered_api(real, probe, clock);
  int answers = 0;
};

TEST_F(metered_api, counts_answers_and_errors_by_verb) {
  ask("GET", "/readyz", kube::answer{200, "ok"});
  ask("POST", "/api/v1/namespaces/jobs/pods", kube::answer{201, "{}"});
  ask("POST", "/api/v1/namespaces/jobs/pods", kube::answer{403, "{}"});
  ask("POST", "/api/v1/namespaces/jobs/services", kube::answer{201, "{}"});
  ask("DELETE", "/api/v1/namespaces/jobs/pods/p", fail(ec::timeout, "no answer"));
  ask("DELETE", "/api/v1/namespaces/jobs/pods/p", kube::answer{429, "{}"});
  ask("DELETE", "/api/v1/namespaces/jobs/pods/p", kube::answer{500, "{}"});
  EXPECT_EQ(answers, 7);
  EXPECT_EQ(value("argosy_kube_answer_seconds", "GET"), 1);
  EXPECT_EQ(value("argosy_kube_answer_seconds", "POST"), 3);
  EXPECT_EQ(value("argosy_kube_answer_seconds", "DELETE"), 2) << "one was not answered";
  EXPECT_EQ(value("argosy_kube_pods_made_total"), 1);
  for (const auto* why : {"denied", "timeout", "busy", "failed"})
    EXPECT_EQ(value("argosy_kube_errors_total", why), 1) << why;
  EXPECT_EQ(value("argosy_kube_errors_total", "refused"), std::nullopt);
}

TEST_F(metered_api, shows_how_long_a_watch_tells_nothing) {
  quiet_follower to;
  auto watch = api->follow("/api/v1/namespaces/jobs/pods?labelSelector=a%3Db", to);
  clock.advance(2s);
  EXPECT_EQ(value("argosy_kube_watch_age_seconds", "pods"), 2) << "nothing was ever told";
  real->follower->listed({});
  clock.advance(60s);
  EXPECT_EQ(value("argosy_kube_watch_age_seconds", "pods"), 0);
  real->follower->interrupted({ec::timeout, "no answer"});
  clock.advance(5s);
  real->follower->interrupted({ec::timeout, "no answer"});
  clock.advance(5s);
  EXPECT_EQ(value("argosy_kube_watch_age_seconds", "pods"), 10);
  real->follower->resumed();
  EXPECT_EQ(value("argosy_kube_watch_age_seconds", "pods"), 0);
  EXPECT_EQ(to.told, 4) << "all of it was passed on";
}

TEST_F(metered_api, names_collections) {
  EXPECT_EQ(name_of_collection("/api/v1/nodes"), "nodes");
  EXPECT_EQ(name_of_collection("/api/v1/pods?labelSelector=argosy.io%2Fcluster%21%3Deast&x=y"),
            "other pods");
  EXPECT_EQ(name_of_collection("/api/v1/events?fieldSelector=a%3DPod%2Ctype%21%3DNormal"),
            "events");
}

}  // namespace
}  // namespace argosy
