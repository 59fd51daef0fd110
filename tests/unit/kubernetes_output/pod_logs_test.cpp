// SPDX-License-Identifier: Apache-2.0
// Goal: output of pods is read as kubectl reads it: its end, since a time, of any container, and as
// it comes over rotation; and what is wrong is told in the server's words.
// Method: an API server in memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/kubernetes/kubernetes_fixture.hpp"

namespace argosy::backends {
namespace {

using ::testing::HasSubstr;

struct pod_logs : kubernetes_fixture {
  ~pod_logs() override { backend.reset(); }

  model::run_key running_with(const std::string& output) {
    open();
    const auto run = start(1);
    kube->output[at(run)] = output;
    set_status(run, running);
    return run;
  }
  /// Reads on until nothing comes, and returns what came.
  std::string all(model::log_request& wanted) {
    std::string out;
    for (int i = 0; i < 1'000; ++i) {
      const auto chunk = read(wanted);
      if (!chunk) return out + "[" + chunk.error().detail + "]";
      if (!chunk->lost.empty()) out += "[" + chunk->lost + "]";
      out += chunk->data;
      ended = chunk->end;
      wanted.offset = chunk->next_offset;
      wanted.position = chunk->position;
      if (chunk->data.empty() || chunk->end) break;
    }
    return out;
  }

  /// Asks for what may come later, which `said` is then.
  void ask(const model::log_request& wanted) {
    backend->read_log(wanted, [this](result<model::log_chunk> got) { said = std::move(got); });
    backend->advance();
  }

  bool ended = false;
  std::optional<result<model::log_chunk>> said;
};

TEST_F(pod_logs, give_what_there_is_in_pieces) {
  const auto run = running_with("one\ntwo\nthree");
  model::log_request wanted{run, 0, 5};
  EXPECT_EQ(all(wanted), "one\ntwo\nthree");
  EXPECT_FALSE(ended);
  EXPECT_EQ(wanted.offset, 13u);
}

TEST_F(pod_logs, ask_the_server_for_the_end_and_for_a_container) {
  const auto run = running_with("one\ntwo\nthree\n");
  model::log_request wanted{run};
  wanted.tail_lines = 2;
  wanted.container = "side";
  EXPECT_EQ(all(wanted), "two\nthree\n");
  EXPECT_THAT(kube->last("GET"), HasSubstr("container=side&tailLines=2"));
  model::log_request since{run};
  since.since_ns = fake_kube::first_line_ns + 1'500'000'000;
  EXPECT_EQ(all(since), "three\n");
  EXPECT_THAT(kube->last("GET"), HasSubstr("&sinceTime=2026-11-18T11:06:41Z"));
}

TEST_F(pod_logs, are_followed_in_one_request_until_the_container_ends) {
  const auto run = running_with("one\n");
  model::log_request wanted{run};
  wanted.follow = true;
  EXPECT_EQ(all(wanted), "");
  EXPECT_EQ(all(wanted), "one\n");
  const auto before = kube->count("GET");
  kube->print(at(run), "two\n");
  EXPECT_EQ(all(wanted), "two\n");
  EXPECT_EQ(kube->count("GET"), before);
  kube->print(at(run), "three\n");
  kube->end_readings(at(run));
  EXPECT_EQ(all(wanted), "three\n");
  set_status(run, failed_3);
  pass(2s);
  EXPECT_EQ(all(wanted), "");
  EXPECT_EQ(all(wanted), "");
  EXPECT_TRUE(ended);
}

TEST_F(pod_logs, of_a_silent_kubelet_are_answered_with_its_node) {
  const auto run = running_with("");
  kube->pods.at(at(run))["spec"]["nodeName"] = "n1";
  set_status(run, running);
  kube->answers_are_slow = true;
  model::log_request wanted{run};
  ask(wanted);
  pass(19s);
  EXPECT_FALSE(said) << "it may come";
  pass(1s);
  ASSERT_TRUE(said);
  EXPECT_EQ(said->error().detail, "the kubelet of node 'n1' has not given the output within 20 s");
  kube->set_ready("n1", "Unknown", "Kubelet stopped posting node status.");
  backend->advance();
  const auto asked = kube->count("GET");
  for (const bool follow : {false, true}) {
    model::log_request again{run};
    again.follow = follow;
    const auto chunk = read(again);
    ASSERT_FALSE(chunk);
    EXPECT_EQ(chunk.error().code, ec::unavailable);
    EXPECT_THAT(chunk.error().detail, AllOf(HasSubstr("the kubelet of node 'n1' is silent"),
                                            HasSubstr("Kubelet stopped posting node status"),
                                            HasSubstr("the output cannot be read")));
  }
  EXPECT_EQ(kube->count("GET"), asked) << "it is known at once";
}

TEST_F(pod_logs, that_are_followed_name_a_kubelet_that_falls_silent) {
  const auto run = running_with("one\n");
  kube->pods.at(at(run))["spec"]["nodeName"] = "n1";
  set_status(run, running);
  model::log_request wanted{run};
  wanted.follow = true;
  EXPECT_EQ(all(wanted) + all(wanted), "one\n");
  for (int i = 0; i < 6; ++i) {
    pass(5s);
    EXPECT_EQ(all(wanted), "") << "the job prints nothing";
  }
  EXPECT_THAT(kube->last("GET"), HasSubstr("tailLines=1&limitBytes=1"));
  kube->answers_are_slow = true;
  pass(10s);
  EXPECT_EQ(all(wanted), "");
  pass(10s);
  const std::string late = "[the kubelet of node 'n1' has not given the output within 10 s]";
  EXPECT_EQ(all(wanted), late);
  pass(20s);
  EXPECT_EQ(all(wanted), late) << "as long as it is silent";
  kube->print(at(run), "two\n");
  EXPECT_EQ(all(wanted), "two\n");
  EXPECT_EQ(all(wanted), "");
}

TEST_F(pod_logs, that_come_slowly_are_given_as_far_as_they_are) {
  const auto run = running_with("one\n");
  kube->answers_are_slow = true;
  ask({run});
  pass(20s);
  ASSERT_TRUE(said && *said);
  EXPECT_EQ((*said)->data, "one\n");
}

TEST_F(pod_logs, go_on_over_rotation_and_say_what_is_missing) {
  const auto run = running_with("one\n");
  model::log_request wanted{run};
  wanted.follow = true;
  EXPECT_EQ(all(wanted) + all(wanted), "one\n");
  kube->end_readings(at(run));
  kube->print(at(run), "two\nthree\n");
  pass(2s);
  EXPECT_EQ(all(wanted) + all(wanted), "two\nthree\n") << "the answer ended before the output";
  kube->end_readings(at(run));
  kube->rotated[at(run)] = 3;
  kube->print(at(run), "four\n");
  pass(2s);
  EXPECT_EQ(all(wanted) + all(wanted), "four\n") << "the answer ended with its file";
  kube->end_readings(at(run));
  kube->print(at(run), "5\n6\n7\n8\n9\nlast\n");
  kube->rotated[at(run)] = 9;
  pass(20s);
  const auto rest = all(wanted) + all(wanted);
  EXPECT_THAT(rest, HasSubstr("[what was written between 2026-11-18T11:06:43.000Z and "
                              "2026-11-18T11:06:49.000Z is missing"));
  EXPECT_TRUE(rest.ends_with("]last\n")) << rest;
}

TEST_F(pod_logs, go_on_in_the_same_answer_over_rotation) {
  const auto run = running_with("one\n");
  model::log_request wanted{run};
  wanted.follow = true;
  EXPECT_EQ(all(wanted) + all(wanted), "one\n");
  kube->print(at(run), "two\n");
  EXPECT_EQ(all(wanted), "two\n");
  const auto asked = kube->count("GET");
  kube->rotated[at(run)] = 2;
  kube->print(at(run), "three\n");
  kube->rotated[at(run)] = 3;
  kube->print(at(run), "four\n");
  EXPECT_EQ(all(wanted), "three\nfour\n");
  EXPECT_EQ(kube->count("GET"), asked) << "the answer went on";
  kube->end_readings(at(run));
  kube->rotated[at(run)] = 4;
  kube->print(at(run), "five\n");
  pass(2s);
  EXPECT_EQ(all(wanted) + all(wanted), "five\n") << "and then it ended with the file";
}

/// A kubelet gives its newest file only, also to whoever reads for the first time.
TEST_F(pod_logs, say_that_their_beginning_was_rotated_away) {
  const auto run = running_with("one\n");
  set_status(run, main_runs);
  pass(2s);
  EXPECT_THAT(kube->last("GET"), HasSubstr("/log?limitBytes=4096&container=main&timestamps=true"));
  const auto asked = kube->count("GET");
  pass(1h);
  EXPECT_EQ(kube->count("GET"), asked) << "its first lines are known";
  kube->print(at(run), "two\nthree\n");
  const auto lines = [&](std::uint32_t tail) {
    model::log_request wanted{run};
    wanted.tail_lines = tail;
    return all(wanted);
  };
  EXPECT_EQ(lines(0), "one\ntwo\nthree\n");
  kube->rotated[at(run)] = 2;
  EXPECT_THAT(lines(0), HasSubstr("[what was written between 2026-11-18T11:06:40.000Z and "
                                  "2026-11-18T11:06:42.000Z is missing"));
  EXPECT_TRUE(lines(0).ends_with("]three\n"));
  EXPECT_EQ(lines(1), "three\n");
  kube->rotated[at(run)] = 3;
  for (const std::uint32_t tail : {0, 5})
    EXPECT_THAT(lines(tail), HasSubstr("after 2026-11-18T11:06:40.000Z is missing"));
}

TEST_F(pod_logs, that_have_ended_say_what_is_missing_before_they_say_that_they_end) {
  const auto run = running_with("one\n");
  set_status(run, main_runs);
  pass(2s);
  kube->print(at(run), "two\nthree\n");
  kube->rotated[at(run)] = 2;
  set_status(run, failed_3);
  for (const std::uint32_t tail : {0, 2, 5}) {
    model::log_request wanted{run};
    wanted.tail_lines = tail;
    const auto out = all(wanted);
    EXPECT_THAT(out, HasSubstr("three\n")) << tail;
    EXPECT_THAT(out, HasSubstr("is missing")) << tail;
    EXPECT_TRUE(ended) << tail;
  }
}

TEST_F(pod_logs, that_are_empty_are_looked_at_a_few_times) {
  const auto run = running_with("");
  const auto before = kube->count("GET");
  set_status(run, main_runs);
  for (int i = 0; i < 3'600; ++i) pass(1s);
  EXPECT_EQ(kube->count("GET") - before, 6U);
}

TEST_F(pod_logs, cannot_be_read_before_the_agent_has_taken_its_pods_over) {
  const auto run = running_with("one\n");
  backend.reset();
  auto made = make_kubernetes_backend(config, kube, [](const auto&) {});
  ASSERT_TRUE(made);
  backend = std::move(*made);
  backend->advance();
  const auto early = read({run});
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, ec::unavailable);
  EXPECT_THAT(early.error().detail, HasSubstr("the agent of cluster 'east' has not taken its pods "
                                              "over yet, since "));
  EXPECT_TRUE(backend->adopt({run}));
  EXPECT_EQ(read({run})->data, "one\n");
}

TEST_F(pod_logs, go_on_where_they_were_when_the_agent_began_anew) {
  const auto run = running_with("one\ntwo\nthree\n");
  model::log_request wanted{run, 0, 6};
  const auto first = read(wanted);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->data, "one\ntw");
  wanted.position = first->position;
  wanted.offset = first->next_offset;
  backend.reset();
  open({run});
  EXPECT_EQ(all(wanted), "o\nthree\n");
}

TEST_F(pod_logs, end_with_what_the_server_says) {
  const auto run = running_with("");
  kube->log_trouble = {400, "container \"main\" in pod \"p\" is waiting to start: PodInitializing"};
  EXPECT_EQ(read({run})->data, "") << "it may still begin";
  set_status(run, failed_3);
  const auto never = read({run});
  EXPECT_EQ(never.error().code, ec::not_found);
  EXPECT_THAT(never.error().detail, HasSubstr("PodInitializing"));
  kube->log_trouble = {400, "container x is not valid for pod p"};
  EXPECT_EQ(read({run}).error().code, ec::invalid_argument);
  kube->log_trouble = {403, "pods is forbidden"};
  EXPECT_EQ(read({run}).error().code, ec::denied);
  kube->log_trouble = {500, "the kubelet is away"};
  EXPECT_EQ(read({run}).error().code, ec::unavailable);
  EXPECT_THAT(read({run}).error().detail, HasSubstr("the kubelet is away"));
}

TEST_F(pod_logs, are_read_by_so_many_at_a_time) {
  const auto run = running_with("one\n");
  model::log_request wanted{run};
  wanted.follow = true;
  for (int i = 0; i < 16; ++i) EXPECT_TRUE(read(wanted));
  const auto more = read(wanted);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ec::overloaded);
  pass(1min);
  EXPECT_TRUE(read(wanted)) << "nobody asked for the others for a while";
  EXPECT_EQ(kube->readings.size(), 1u);
}

TEST_F(pod_logs, of_ended_containers_take_no_place) {
  const auto run = running_with("one\n");
  set_status(run, failed_3);
  for (int i = 0; i < 40; ++i) {
    model::log_request wanted{run};
    EXPECT_EQ(all(wanted), "one\n");
    EXPECT_TRUE(ended);
  }
}

TEST_F(pod_logs, that_nobody_has_asked_for_lately_give_way) {
  const auto run = running_with("one\n");
  model::log_request wanted{run};
  wanted.follow = true;
  for (int i = 0; i < 16; ++i) EXPECT_TRUE(read(wanted));
  pass(4s);
  EXPECT_TRUE(read(wanted));
}

TEST_F(pod_logs, of_one_queue_leave_places_to_another) {
  const auto run = running_with("one\n");
  const auto other = start(2);
  kube->pods[at(other)]["metadata"]["annotations"]["argosy.io/queue"] = "b";
  kube->output[at(other)] = "two\n";
  set_status(other, running);
  model::log_request wanted{run};
  wanted.follow = true;
  auto oldest = wanted;
  oldest.position = read(wanted)->position;
  for (int i = 0; i < 15; ++i) EXPECT_TRUE(read(wanted));
  model::log_request theirs{other};
  theirs.follow = true;
  EXPECT_EQ(all(theirs) + all(theirs), "two\n");
  EXPECT_EQ(read(oldest).error().code, ec::overloaded) << "its queue has 15 places";
  EXPECT_EQ(all(theirs), "");
  EXPECT_EQ(kube->readings.size(), 16U);
}

TEST_F(pod_logs, say_when_a_pod_goes_before_all_was_read) {
  const auto run = running_with("one\n");
  model::log_request wanted{run};
  EXPECT_EQ(all(wanted), "one\n");
  set_status(run, failed_3);
  kube->remove(at(run));
  pass(1min);
  EXPECT_THAT(all(wanted), HasSubstr("[the pod is gone"));
  EXPECT_TRUE(ended);
}

TEST_F(pod_logs, answer_whoever_asks_a_second_time) {
  const auto run = running_with("one\n");
  model::log_request wanted{run};
  wanted.follow = true;
  EXPECT_EQ(all(wanted) + all(wanted), "one\n");
  wanted.follow = false;
  std::vector<result<model::log_chunk>> answers;
  for (int i = 0; i < 2; ++i) {
    backend->read_log(wanted, [&](auto got) { answers.push_back(std::move(got)); });
    backend->advance();
  }
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_TRUE(answers[0] && answers[0]->data.empty());
  EXPECT_EQ(answers[0]->position, wanted.position);
  kube->print(at(run), "two\n");
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[1]->data, "two\n");
}

/// The server's answer comes in small pieces, each of which would cost a question and an answer.
TEST_F(pod_logs, of_the_past_come_in_large_answers_and_the_rest_at_their_end) {
  const auto run = running_with("");
  model::log_request wanted{run, 0, 100};
  kube->answers_are_slow = true;
  std::vector<result<model::log_chunk>> answers;
  const auto ask = [&] {
    backend->read_log(wanted, [&](auto got) {
      if (got && !got->data.empty()) wanted.position = got->position;
      answers.push_back(std::move(got));
    });
    backend->advance();
  };
  ask();
  for (int i = 0; i < 10; ++i) kube->print(at(run), "nine more\n");
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0]->data.size(), 50U);
  ask();
  ASSERT_EQ(answers.size(), 2U) << "so much has come meanwhile";
  ask();
  kube->print(at(run), "the end\n");
  EXPECT_EQ(answers.size(), 2U);
  ask();
  ASSERT_EQ(answers.size(), 4U) << "whoever asks again has what there is";
  EXPECT_EQ(answers[2]->data + answers[3]->data, "the end\n");
  ask();
  kube->print(at(run), "more\n");
  kube->end_readings(at(run));
  ASSERT_EQ(answers.size(), 5U);
  EXPECT_EQ(answers[4]->data, "more\n");
}

TEST_F(pod_logs, ask_for_nothing_but_a_container_by_its_name) {
  const auto run = running_with("one\n");
  model::log_request wanted{run};
  wanted.container = "main&insecureSkipTLSVerifyBackend=true";
  static_cast<void>(read(wanted));
  EXPECT_THAT(kube->last("GET"), HasSubstr("container=main%26insecureSkipTLSVerifyBackend%3Dtrue"));
}

}  // namespace
}  // namespace argosy::backends
