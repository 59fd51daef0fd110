// SPDX-License-Identifier: Apache-2.0
// Goal: an API server that answers but is of no use, since it does not know the agent, does not
// tell it of nodes and pods, or is that of another cluster, costs no run: it is told of in one
// sentence that says what to mend, and all goes on when it is mended.
// Method: an API server in memory and a clock that is set by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/kubernetes_trouble/link_fixture.hpp"

namespace argosy::backends {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct kubernetes_access : kubernetes_link {
  static kube::answer uid(const std::string& text) {
    return {200, R"({"metadata":{"uid":")" + text + R"("}})"};
  }
  /// The kubeconfig names another server now.
  void move(const std::string& to) {
    kube->address = to;
    kube->interrupt("");
    kube->list_again();
    backend->advance();
  }
};

/// An agent of two namespaces that begins while one of them is closed to it.
struct kubernetes_closed_namespace : kubernetes_access {
  kubernetes_closed_namespace() {
    config.rules.namespaces = {"jobs", "team"};
    kube->deny("/namespaces/team/");
    for (const auto* verb : {"get", "list", "watch", "delete", "create"})
      kube->missing_rights.insert(std::string{verb} + " pods team");
  }
  json in_team(std::uint8_t serial, const char* status) const {
    auto out = pod_of(run_of(serial), json::parse(status));
    out["metadata"]["namespace"] = "team";
    out["metadata"]["annotations"]["argosy.io/queue"] = "research";
    return out;
  }
  void give_back() {
    kube->missing_rights.clear();
    kube->allow();
    pass_slowly(5s);  // Until it is certain which cluster has told of it.
  }
  std::vector<run_event> adopt_more(std::vector<model::recorded_run> known) {
    for (const auto& each : backend->inherit(known, "cp1").runs) known.push_back(each.run);
    auto found = backend->adopt(known);
    backend->advance();
    return found.value_or(std::vector<run_event>{});
  }
};

constexpr const char* server = "the API server https://fake:6443 ";

TEST_F(kubernetes_access, with_a_token_that_has_ended_is_told_of_and_ends_no_run) {
  open();
  const auto there = start(1);
  set_status(there, running);
  kube->ready = kube::answer{401, "Unauthorized"};
  pass_slowly(10s);
  EXPECT_EQ(backend->trouble().why,
            server + std::string{"does not accept the agent's credentials (status 401); renew the "
                                 "token or certificate that kubernetes.kubeconfig names, or that "
                                 "of the agent's service account"});
  pass_slowly(20min);
  kube->ready = kube::answer{200, "ok"};
  pass_slowly(5s);
  EXPECT_EQ(backend->trouble().why, "");
  EXPECT_FALSE(is_deleted(there));
}

TEST_F(kubernetes_access, without_a_right_to_nodes_or_pods_is_told_of_until_it_is_given_again) {
  open();
  const auto there = start(1);
  set_status(there, running);
  take_phases();
  for (const std::string what : {"nodes", "pods"}) {
    const auto path = what == "nodes" ? "/api/v1/nodes" : "/namespaces/jobs/pods?";
    kube->interrupt(path, {ec::denied, what + " is forbidden"});
    backend->advance();
    pass_slowly(7s);
    EXPECT_EQ(backend->trouble().why, "") << "a role that is replaced is missing for a moment";
    pass_slowly(3s);
    EXPECT_EQ(backend->trouble().why, server + ("does not tell the agent of " + what + " (" + what +
                                                " is forbidden); give its user the rights to list "
                                                "and watch " +
                                                what + ", as config/KUBERNETES.md names them"));
    EXPECT_EQ(backend->trouble().since_ns, to_nanos(clock.wall()) - 10'000'000'000);
    pass_slowly(20min);
    kube->answer_again();
    backend->advance();
    EXPECT_EQ(backend->trouble().why, "");
  }
  EXPECT_FALSE(is_deleted(there));
  EXPECT_THAT(take_phases(), IsEmpty());
}

TEST_F(kubernetes_access, without_the_right_to_delete_pods_is_told_of_by_the_runs_that_end) {
  open();
  const auto there = start(1);
  set_status(there, running);
  const std::string said = "User \"agent\" cannot delete resource \"pods\"";
  for (int i = 0; i < 3; ++i)
    kube->faults.push_back({"DELETE", kube::answer{403, json{{"message", said}}.dump()}});
  stop(there);
  pass_slowly(8s);
  EXPECT_THAT(take_notes(),
              ElementsAre(HasSubstr("does not let the agent delete the pod: " + said)));
  kube->remove(at(there));
  backend->advance();
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::stopped));
}

TEST_F(kubernetes_access, without_a_right_to_one_namespace_of_two_leaves_the_other) {
  config.rules.namespaces = {"jobs", "more"};
  open();
  kube->interrupt("/namespaces/more/pods?", {ec::denied, "forbidden"});
  pass_slowly(20s);
  EXPECT_EQ(backend->trouble().why, "");
  kube->interrupt("/namespaces/jobs/pods?", {ec::denied, "forbidden"});
  backend->advance();
  pass_slowly(10s);
  EXPECT_NE(backend->trouble().why, "");
  EXPECT_EQ(backend->trouble().since_ns, to_nanos(clock.wall()) - 10'000'000'000);
}

TEST_F(kubernetes_closed_namespace, leaves_an_agent_that_begins_the_others) {
  open();
  EXPECT_EQ(backend->trouble().why, "");
  pass_slowly(5s);
  set_status(start(1), succeeded);
  EXPECT_EQ(take_phases().back(), run_phase::succeeded);
  pass_slowly(10s);
  EXPECT_EQ(backend->trouble().why, "");
  EXPECT_THAT(backend->trouble().lacks, HasSubstr("pods in namespace 'team'"));
  backend->start(launch_of(run_of(2), "team"));
  backend->advance();
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused));
  EXPECT_EQ(last.outcome.category, model::refusal_to_all::rights) << "which closes it";
  EXPECT_EQ(kube->count("POST"), 1U);
  give_back();
  ASSERT_TRUE(backend->has_more_runs());
  adopt_more({});
  EXPECT_FALSE(backend->has_more_runs());
  pass_slowly(10s);
  EXPECT_EQ(backend->trouble().lacks, "");
  backend->start(launch_of(run_of(3), "team"));
  backend->advance();
  EXPECT_EQ(kube->pods.count({"team", name_of(run_of(3))}), 1U);
}

TEST_F(kubernetes_closed_namespace, keeps_the_cluster_away_if_all_are_closed) {
  kube->deny("/namespaces/jobs/");
  auto made = make_kubernetes_backend(config, kube, [](const auto&) {});
  ASSERT_TRUE(made);
  backend = std::move(*made);
  pass_slowly(10s);
  EXPECT_FALSE(backend->is_ready());
  EXPECT_THAT(backend->trouble().why, HasSubstr("does not tell the agent of pods"));
}

TEST_F(kubernetes_closed_namespace, loses_none_of_its_runs) {
  config.state_dir = ::testing::TempDir() + "argosy-closed-namespace";
  std::filesystem::remove_all(config.state_dir);
  kube->add_pod(pod_of(run_of(1), json::parse(running)));
  kube->add_pod(in_team(2, running));
  auto found = open({run_of(1), run_of(2), run_of(3)});
  ASSERT_EQ(found.size(), 1U) << "the pods of the others may be in the closed namespace";
  EXPECT_EQ(found[0].run, run_of(1));
  EXPECT_THAT(take_notes(), ElementsAre(HasSubstr("pod may be in a namespace"),
                                        HasSubstr("no pods for the agent ('team')")));
  const auto unread = read({run_of(2)});
  ASSERT_FALSE(unread);
  EXPECT_EQ(unread.error().code, ec::unavailable) << "nobody knows that the pod is gone";
  EXPECT_THAT(unread.error().detail, HasSubstr("lists no pods for the agent ('team')"));
  renew(30s);
  renew(60s);
  EXPECT_THAT(take_phases(), IsEmpty());
  give_back();
  renew(90s);
  renew(120s);
  found = adopt_more({run_of(1), run_of(2), run_of(3)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].phase, run_phase::running);
  EXPECT_EQ(take_phases(), std::vector{run_phase::failed});
  EXPECT_EQ(last.run, run_of(3)) << "it was looked for in both";
  EXPECT_EQ(last.outcome.reason, reason::lost);
  EXPECT_EQ(kube->count("DELETE"), 0U);
  kube->set_status({"team", name_of(run_of(2))}, json::parse(succeeded));
  backend->advance();
  EXPECT_EQ(take_phases().back(), run_phase::succeeded);
}

TEST_F(kubernetes_closed_namespace, ends_nobody_whose_lease_holds_when_it_is_taken_over) {
  open();
  renew(10s);
  pass(20s);
  renew(10min);
  start_lapsing(1);
  ASSERT_EQ(kube->count("POST"), 1U);
  set_status(run_of(1), running);
  give_back();
  ASSERT_TRUE(backend->has_more_runs());
  adopt_more({run_of(1)});
  EXPECT_EQ(kube->count("DELETE"), 0U);
}

TEST_F(kubernetes_closed_namespace, is_taken_over_later_by_an_agent_that_has_lost_its_store) {
  auto first = pod_of(run_of(1), json::parse(running));
  first["metadata"]["annotations"]["argosy.io/queue"] = "research";
  kube->add_pod(first);
  kube->add_pod(in_team(2, running));
  const std::string service = "/api/v1/namespaces/team/services/s";
  kube->attached[service] = json{{"metadata",
                                  {{"name", "s"},
                                   {"namespace", "team"},
                                   {"labels", in_team(2, running)["metadata"]["labels"]}}}};
  auto made = make_kubernetes_backend(config, kube, [this](std::vector<run_event> more) {
    for (auto& each : more) events.push_back(std::move(each));
  });
  ASSERT_TRUE(made);
  backend = std::move(*made);
  backend->advance();
  ASSERT_TRUE(backend->is_ready());
  const auto seen = backend->inherit({}, "cp1");
  EXPECT_FALSE(seen.whole);
  ASSERT_EQ(seen.runs.size(), 1U);
  ASSERT_TRUE(backend->adopt({run_of(1)}));
  backend->advance();
  give_back();
  renew(30s);
  renew(60s);
  const auto more = backend->inherit({run_of(1)}, "cp1");
  EXPECT_TRUE(more.whole);
  ASSERT_EQ(more.runs.size(), 1U);
  EXPECT_EQ(more.runs[0].run, run_of(2));
  ASSERT_TRUE(backend->adopt({run_of(1), run_of(2)}));
  backend->advance();
  EXPECT_EQ(kube->count("DELETE"), 0U) << "neither the pod nor its service";
  kube->set_status({"team", name_of(run_of(2))}, json::parse(succeeded));
  backend->advance();
  EXPECT_EQ(take_phases().back(), run_phase::succeeded);
}

TEST_F(kubernetes_access, to_another_cluster_of_that_address_loses_no_run_and_makes_none_there) {
  open();
  const auto there = start(1);
  set_status(there, running);
  take_phases();
  cut();
  pass_slowly(20s);
  const auto old = std::exchange(kube->pods, {});
  kube->identity = uid("c2");
  mend();
  pass_slowly(20min);
  EXPECT_EQ(take_phases(), std::vector<run_phase>{}) << "its pod is not there, and may be alive";
  EXPECT_THAT(backend->trouble().why, HasSubstr("is that of another cluster than the one"));
  EXPECT_THAT(backend->trouble().why, HasSubstr("kube-system: c2, not c1"));
  start(2);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused));
  EXPECT_THAT(kube->pods, IsEmpty());
  cut();
  pass_slowly(20s);
  kube->pods = old;
  kube->identity = uid("c1");
  mend();
  EXPECT_EQ(backend->trouble().why, "");
  set_status(there, succeeded);
  EXPECT_EQ(take_phases().back(), run_phase::succeeded);
}

TEST_F(kubernetes_access, that_was_moved_to_another_cluster_unseen_is_found_out_by_its_lists) {
  open();
  const auto there = start(1);
  set_status(there, running);
  take_phases();
  kube->interrupt("/pods?");
  kube->pods.clear();
  kube->identity = uid("c2");
  kube->answer_again();
  kube->list_again();
  backend->advance();
  pass_slowly(10s);
  EXPECT_THAT(take_phases(), IsEmpty());
  EXPECT_THAT(backend->trouble().why, HasSubstr("another cluster"));
}

TEST_F(kubernetes_access, by_another_address_goes_on_once_it_is_certainly_the_same_cluster) {
  open();
  const auto there = start(1);
  set_status(there, running);
  take_phases();
  kube->identity = {500, "not yet"};
  move("https://new:6443");
  start(2);
  EXPECT_EQ(kube->count("POST"), 1U) << "the server may be that of another cluster";
  kube->identity = uid("c1");
  pass_slowly(5s);
  EXPECT_EQ(kube->count("POST"), 2U);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::pending));
  set_status(there, succeeded);
  EXPECT_EQ(take_phases().back(), run_phase::succeeded);
  EXPECT_EQ(backend->trouble().why, "");
}

TEST_F(kubernetes_access, that_is_given_for_another_cluster_makes_and_loses_nothing_there) {
  open();
  const auto there = start(1);
  set_status(there, running);
  take_phases();
  const auto old = std::exchange(kube->pods, {});
  const auto nodes = std::exchange(kube->nodes, {});
  kube->identity = uid("c2");
  move("https://other:6443");
  start(2);
  pass_slowly(10s);
  EXPECT_THAT(backend->trouble().why, HasSubstr("https://other:6443 is that of another cluster"));
  EXPECT_THAT(kube->pods, IsEmpty());
  EXPECT_EQ(backend->nodes().size(), 1U) << "those of the right one";
  EXPECT_EQ(kube->count("POST"), 1U);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused)) << "the second one never began";
  kube->pods = old;
  kube->nodes = nodes;
  kube->identity = uid("c1");
  move("https://fake:6443");
  pass_slowly(5s);
  EXPECT_EQ(backend->trouble().why, "");
  set_status(there, succeeded);
  EXPECT_EQ(take_phases(), std::vector{run_phase::succeeded});
}

TEST_F(kubernetes_access, whose_cluster_may_not_be_asked_who_it_is_works_as_ever) {
  kube->identity = {403, "no such right"};
  open();
  const auto there = start(1);
  set_status(there, running);
  cut();
  pass_slowly(20s);
  kube->pods.clear();
  mend();
  EXPECT_EQ(take_phases().back(), run_phase::failed);
  EXPECT_EQ(last.outcome.reason, reason::lost);
}

TEST_F(kubernetes_access, an_agent_that_begins_at_another_cluster_waits_for_the_right_one) {
  config.state_dir = ::testing::TempDir() + "argosy-cluster-identity";
  std::filesystem::remove_all(config.state_dir);
  open();
  backend.reset();
  kube->identity = uid("c2");
  auto made = make_kubernetes_backend(config, kube, [](const auto&) {});
  ASSERT_TRUE(made);
  backend = std::move(*made);
  pass_slowly(10s);
  EXPECT_FALSE(backend->is_ready());
  EXPECT_THAT(backend->trouble().why, HasSubstr("argosyctl cluster forget"));
  kube->identity = uid("c1");
  pass_slowly(5s);
  EXPECT_TRUE(backend->is_ready());
  EXPECT_EQ(backend->trouble().why, "");
}

TEST_F(kubernetes_access, an_agent_whose_own_disk_fails_blames_neither_jobs_nor_nodes) {
  config.state_dir = ::testing::TempDir() + "argosy-full-disk";
  std::filesystem::remove_all(config.state_dir);
  open();
  std::filesystem::remove_all(config.state_dir);
  start(1);
  EXPECT_THAT(take_phases(), ElementsAre(run_phase::refused));
  EXPECT_EQ(last.outcome.reason, model::reason_cluster_refused);
  EXPECT_EQ(last.outcome.category, model::refusal_to_all::server);
  EXPECT_THAT(last.outcome.message, HasSubstr("its data directory: "));
  EXPECT_EQ(kube->count("POST"), 0U);
}

TEST_F(kubernetes_access, is_not_gained_by_a_manifest_for_another_namespace) {
  open();
  auto launch = launch_of(run_of(1));
  launch.pod = manifest(run_of(1), "kube-system").dump();
  backend->start(launch);
  launch = launch_of(run_of(2));
  launch.attached = {json{
      {"kind", "Service"},
      {"metadata", {{"namespace", "more"}, {"labels", json::object()}}},
      {"spec",
       json::object()}}.dump()};
  backend->start(launch);
  backend->advance();
  EXPECT_EQ(kube->count("POST"), 0U);
  EXPECT_EQ(take_phases().size(), 2U);
  EXPECT_THAT(last.outcome.message, HasSubstr("is for namespace"));
}

}  // namespace
}  // namespace argosy::backends
