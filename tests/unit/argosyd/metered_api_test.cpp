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
  std::unique_ptr<kube::watch> read(kube::request, kube::body_reader& to) override {
    reader = &to;
    return std::make_unique<kube::watch>();
  }
  std::string server() const override { return "https://k:6443"; }

  result<kube::answer> next = kube::answer{200, "{}"};
  kube::follower* follower = nullptr;
  kube::body_reader* reader = nullptr;

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

struct quiet_reader final : kube::body_reader {
  bool came(std::string_view) override { return ++told > 0; }
  void ended(result<kube::answer>) override { ++told; }
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
  EXPECT_EQ(value("argosy_kube_answer_seconds", "get"), 1);
  EXPECT_EQ(value("argosy_kube_answer_seconds", "create"), 3);
  EXPECT_EQ(value("argosy_kube_answer_seconds", "delete"), 2) << "one was not answered";
  EXPECT_EQ(value("argosy_kube_pods_made_total"), 1);
  for (const auto* why : {"denied", "timeout", "busy", "failed"})
    EXPECT_EQ(value("argosy_kube_errors_total", why), 1) << why;
  EXPECT_EQ(value("argosy_kube_errors_total", "refused"), std::nullopt);
}

TEST_F(metered_api, counts_lists_and_watches) {
  quiet_follower to;
  auto watch = api->follow("/api/v1/namespaces/jobs/pods", to);
  auto& told = *real->follower;
  told.asked("list");
  clock.advance(40ms);
  told.answered("list", kube::answer{403, "{}"});
  told.asked("list");
  told.answered("list", kube::answer{200, "{}"});
  told.asked("watch");
  told.answered("watch", kube::answer{200});
  told.answered("watch", kube::answer{410});
  told.asked("watch");
  told.answered("watch", fail(ec::timeout, "no answer"));
  told.answered("watch", fail(ec::unreachable, "it broke"));
  EXPECT_EQ(value("argosy_kube_answer_seconds", "list"), 2);
  EXPECT_EQ(value("argosy_kube_answer_seconds", "watch"), 1) << "how it ends is no answer";
  EXPECT_EQ(probe->errors.value("list", "denied"), 1U);
  EXPECT_EQ(probe->errors.value("watch", "refused"), 1U);
  EXPECT_EQ(probe->errors.value("watch", "timeout"), 1U);
  EXPECT_EQ(probe->errors.value("watch", "unreachable"), 1U);
}

TEST_F(metered_api, counts_logs_that_are_read) {
  quiet_reader to;
  const kube::request log{"GET", "/api/v1/namespaces/jobs/pods/p/log?container=main"};
  auto watch = api->read(log, to);
  clock.advance(40ms);
  EXPECT_TRUE(real->reader->came("some"));
  EXPECT_TRUE(real->reader->came("more"));
  EXPECT_EQ(value("argosy_kube_answer_seconds", "log"), 1);
  real->reader->ended(fail(ec::timeout, "it fell silent"));
  EXPECT_EQ(value("argosy_kube_answer_seconds", "log"), 1);
  EXPECT_EQ(probe->errors.value("log", "timeout"), 1U);
  watch = api->read(log, to);
  real->reader->ended(kube::answer{404, "{}"});
  EXPECT_EQ(value("argosy_kube_answer_seconds", "log"), 2);
  EXPECT_EQ(probe->errors.value("log", "refused"), 1U);
  EXPECT_EQ(to.told, 4) << "all of it was passed on";
}

TEST_F(metered_api, shows_since_when_a_watch_says_nothing) {
  quiet_follower to;
  auto watch = api->follow("/api/v1/namespaces/jobs/pods?labelSelector=a%3Db", to);
  auto* const first = real->follower;
  clock.advance(2s);
  EXPECT_EQ(value("argosy_kube_watch_age_seconds", "jobs"), 2) << "nothing was ever said";
  first->heard();
  clock.advance(60s);
  auto other = api->follow("/api/v1/namespaces/team-a/pods?labelSelector=a%3Db", to);
  EXPECT_EQ(value("argosy_kube_watch_age_seconds", "jobs"), 60) << "though nothing is wrong";
  first->interrupted({ec::timeout, "no answer"});
  clock.advance(5s);
  real->follower->heard();
  EXPECT_EQ(value("argosy_kube_watch_age_seconds", "jobs"), 65) << "each counts by itself";
  EXPECT_EQ(value("argosy_kube_watch_age_seconds", "team-a"), 0);
  first->heard();
  EXPECT_EQ(value("argosy_kube_watch_age_seconds", "jobs"), 0);
  other.reset();
  EXPECT_EQ(value("argosy_kube_watch_age_seconds", "team-a"), std::nullopt);
  first->listed({});
  first->resumed();
  EXPECT_EQ(to.told, 3) << "all of it was passed on";
}

TEST_F(metered_api, names_what_is_followed) {
  using followed = probes::kube_probe::followed;
  EXPECT_EQ(followed_by("/api/v1/nodes"), (followed{"nodes", ""}));
  EXPECT_EQ(followed_by("/api/v1/namespaces/jobs/pods?x=y"), (followed{"pods", "jobs"}));
  EXPECT_EQ(followed_by("/apis/apps/v1/namespaces/jobs/deployments"),
            (followed{"deployments", "jobs"}));
  EXPECT_EQ(followed_by("/api/v1/pods?labelSelector=argosy.io%2Fcluster%21%3Deast&x=y"),
            (followed{"other pods", ""}));
  EXPECT_EQ(followed_by("/api/v1/events?fieldSelector=a%3DPod%2Ctype%21%3DNormal"),
            (followed{"events", ""}));
}

TEST_F(metered_api, says_the_verb_of_kubernetes) {
  const auto verb = [](const char* http, const char* path) { return verb_of({http, path}); };
  EXPECT_EQ(verb("GET", "/readyz"), "get");
  EXPECT_EQ(verb("GET", "/api/v1/namespaces/jobs"), "get");
  EXPECT_EQ(verb("GET", "/api/v1/namespaces"), "list");
  EXPECT_EQ(verb("GET", "/api/v1/namespaces/jobs/pods?limit=1"), "list");
  EXPECT_EQ(verb("GET", "/api/v1/namespaces/jobs/pods/log"), "get");
  EXPECT_EQ(verb("GET", "/api/v1/namespaces/jobs/pods/p/log?container=main"), "log");
  EXPECT_EQ(verb("GET", "/apis/coordination.k8s.io/v1/namespaces/n/leases/l"), "get");
  EXPECT_EQ(verb("POST", "/api/v1/namespaces/jobs/pods/p/eviction"), "create");
  EXPECT_EQ(verb("PATCH", "/api/v1/namespaces/jobs/pods/p"), "patch");
  EXPECT_EQ(verb("PUT", "/apis/coordination.k8s.io/v1/namespaces/n/leases/l"), "update");
  EXPECT_EQ(verb("DELETE", "/api/v1/namespaces/jobs/pods/p"), "delete");
}

}  // namespace
}  // namespace argosy
