// SPDX-License-Identifier: Apache-2.0
// Goal: a submission that is sent again under its idempotency key is answered as the first time and
// makes nothing, while the first is in hand, when nothing new is taken, after every way of
// stopping, and as long as client ids live. Method: a control plane in virtual time whose log is
// broken, which is stopped, killed and started again; the jobs and the entries of the store are
// counted.
#include <gmock/gmock.h>

#include <deque>
#include <optional>

#include "runtime/store/scan.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using namespace std::chrono_literals;

struct request_key : control_plane_test {
  using ids = std::vector<std::string>;

  request_key() {
    begin();
    create_queue("a");
  }
  /// Requests without an answer end while what they fill is there.
  ~request_key() override { client->close(); }

  void begin() {
    rules.queue_rules.client_id_retention_ns = std::chrono::nanoseconds{180s}.count();
    start([this](actors::root_config& with) {
      with.retention.client_ids = 180s;
      with.load = load = std::make_shared<eventlog::log_load>(1U << 20U);
    });
  }

  static bus::headers under(const std::string& key) {
    return {{std::string{bus::header::key}, key}};
  }
  static ids ids_in(const std::string& data) {
    api::JobSubmitResponse response;
    EXPECT_TRUE(response.ParseFromString(data));
    ids out;
    for (const auto& item : response.job_response_items()) out.push_back(item.job_id());
    return out;
  }
  result<ids> submit_as(const std::string& key, const job_wish& wish = {.count = 3}) {
    const auto got = call("Submit.SubmitJobs", make_submit("a", wish), under(key));
    if (!got) return fail(got.error());
    return ids_in(*got);
  }

  std::optional<result<ids>>& post(const std::string& key) {
    auto& out = posts.emplace_back();
    client->request("argosy.api.Submit.SubmitJobs",
                    make_submit("a", {.count = 3}).SerializeAsString(), under(key), 200s,
                    [&out](const result<bus::frame>& reply) {
                      if (reply)
                        out = ids_in(reply->data);
                      else
                        out = fail(reply.error());
                    });
    settle();
    return out;
  }

  std::size_t entries() {
    std::size_t out = 0;
    auto txn = database->begin_read();
    EXPECT_TRUE(store::scan(**txn, store::table::client_ids, {}, [&](const store::entry&) {
      ++out;
      return true;
    }));
    return out;
  }

  void end_jobs_and_queue() {
    api::JobSetCancelRequest all;
    all.set_queue("a");
    all.set_job_set_id("set");
    ASSERT_TRUE(call("Submit.CancelJobSet", all));
    api::QueueDeleteRequest gone;
    gone.set_name("a");
    ASSERT_TRUE(call("Submit.DeleteQueue", gone));
  }

  std::shared_ptr<eventlog::log_load> load;
  std::deque<std::optional<result<ids>>> posts;
};

TEST_F(request_key, gives_the_same_jobs_again) {
  const auto first = submit_as("k");
  ASSERT_TRUE(first) << first.error().detail;
  EXPECT_THAT(*first, SizeIs(3));
  EXPECT_EQ(submit_as("k").value(), *first);
  EXPECT_THAT(jobs("a"), SizeIs(3));
  EXPECT_EQ(entries(), 1U) << "one entry a request, not a job";
  const auto other = submit_as("k", {.count = 2});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ec::conflict);
  EXPECT_THAT(other.error().detail, HasSubstr("idempotency key 'k' was used for another"));
  EXPECT_NE(submit_as("other key").value(), *first);
}

TEST_F(request_key, is_printable_and_short) {
  for (const auto& key : {std::string(129, 'k'), std::string{"a\x7f"}}) {
    const auto refused = submit_as(key);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ec::invalid_argument);
    EXPECT_THAT(refused.error().detail, HasSubstr("argosy-idempotency-key"));
  }
  EXPECT_TRUE(submit_as(std::string(128, 'k')));
}

TEST_F(request_key, is_seen_by_a_check) {
  const auto checked = [&](const std::string& key) {
    auto with = under(key);
    with.set(bus::header::mode, "check");
    const auto got = exchange("Submit.SubmitJobs", make_submit("a", {.count = 3}), with);
    EXPECT_TRUE(got);
    return got->headers.get_number(bus::header::jobs);
  };
  EXPECT_EQ(checked("k"), 3U);
  ASSERT_TRUE(submit_as("k"));
  EXPECT_EQ(checked("k"), 0U);
}

TEST_F(request_key, of_a_request_in_hand_waits_for_its_outcome) {
  log->set_broken(error{ec::unreachable, "no server"});
  auto& first = post("k");
  auto& again = post("k");
  EXPECT_FALSE(first);
  EXPECT_FALSE(again) << "what is not durable must not be answered";
  log->set_broken({});
  advance(2s);
  ASSERT_TRUE(first && *first && again && *again);
  EXPECT_EQ(**first, **again);
  EXPECT_THAT(jobs("a"), SizeIs(3));
}

TEST_F(request_key, is_answered_while_nothing_new_is_taken) {
  const auto first = submit_as("k").value();
  load->add(2U << 20U);
  const auto other = submit_as("other");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ec::overloaded);
  const auto again = submit_as("k");
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(*again, first);
}

TEST_F(request_key, survives_every_way_of_stopping) {
  const auto first = submit_as("k").value();
  for (int i = 0; i < 2; ++i) {
    if (i == 0)
      stop();
    else
      crash();
    begin();
    EXPECT_EQ(submit_as("k").value(), first) << i;
    EXPECT_EQ(submit_as("k", {.count = 1}).error().code, ec::conflict) << i;
  }
  EXPECT_THAT(jobs("a"), SizeIs(3));
}

TEST_F(request_key, of_a_request_that_died_with_its_process_makes_the_jobs_once) {
  log->set_broken(error{ec::unreachable, "no server"});
  EXPECT_FALSE(post("k")) << "the store has it, the log does not";
  crash();
  log->set_broken({});
  begin();
  const auto made = submit_as("k");
  ASSERT_TRUE(made) << made.error().detail;
  EXPECT_THAT(jobs("a"), SizeIs(3));
  EXPECT_EQ(submit_as("k").value(), *made);
}

TEST_F(request_key, outlives_its_queue) {
  const auto first = submit_as("k").value();
  end_jobs_and_queue();
  EXPECT_EQ(submit_as("k").error().code, ec::not_found);
  crash();
  begin();
  create_queue("a");
  EXPECT_EQ(submit_as("k").value(), first);
}

TEST_F(request_key, lives_as_long_in_memory_as_in_the_store) {
  const auto first = submit_as("k").value();
  pass(170s);
  EXPECT_EQ(submit_as("k").value(), first);
  crash();
  begin();
  EXPECT_EQ(submit_as("k").value(), first);
  pass(30s);
  const auto second = submit_as("k").value();
  EXPECT_NE(second, first);
  EXPECT_EQ(submit_as("k").value(), second);
  pass(400s);
  EXPECT_EQ(entries(), 0U);
}

}  // namespace argosy::tests
