// SPDX-License-Identifier: Apache-2.0
// Goal: what happened to a job is told to those to whom the stream of its job set tells it, and to
// its owner. Method: one job, described by callers with each kind of right.
#include <gmock/gmock.h>

#include "messages/proto/api/event.pb.h"
#include "runtime/bus/caller_headers.hpp"
#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using access::permission;
using ::testing::HasSubstr;

namespace {

struct job_histories : control_plane_test {
  job_histories() {
    start([this](actors::root_config& config) { config.inner_connection = inner.connect(); });
    api::Queue queue;
    queue.set_name("anns");
    queue.set_priority_factor(1);
    queue.add_user_owners("ann");
    auto& entry = *queue.add_permissions();
    auto& subject = *entry.add_subjects();
    subject.set_kind("User");
    subject.set_name("wendy");
    entry.add_verbs("watch");
    auto who = person("dan");
    who.permissions = access::permission_set::all();
    EXPECT_TRUE(exchange_by(*transport, "Submit.CreateQueue", queue, bus::caller_headers(who)));
    api::JobSubmitResponse made;
    EXPECT_TRUE(made.ParseFromString(
        exchange_by(*transport, "Submit.SubmitJobs", make_submit("anns"), bus::caller_headers(who))
            ->data));
    id = made.job_response_items(0).job_id();
  }
  ~job_histories() override { transport->close(); }

  static access::principal person(const std::string& name) {
    return access::make_principal({name, {}, {}, {}}, {});
  }
  /// Why he does not see the history; empty if he does.
  std::string hidden_from(const access::principal& who) {
    v1::DescribeJobRequest describe;
    describe.set_job_id(id);
    v1::DescribeJobResponse out;
    EXPECT_TRUE(out.ParseFromString(
        exchange_by(*transport, "Query.DescribeJob", describe, bus::caller_headers(who))->data));
    EXPECT_EQ(out.history().empty(), !out.history_hidden().empty()) << who.name;
    return out.history_hidden();
  }

  bus::memory_broker inner;
  std::shared_ptr<bus::connection> transport = inner.connect();
  std::string id;
};

TEST_F(job_histories, are_told_to_whom_the_stream_of_the_job_set_tells_them) {
  EXPECT_EQ(hidden_from(person("dan")), "") << "the owner of the job";
  EXPECT_EQ(hidden_from(person("ann")), "") << "an owner of the queue";
  EXPECT_EQ(hidden_from(person("wendy")), "") << "who may watch the queue";
  auto olga = person("olga");
  olga.permissions.add(permission::watch_all_events);
  EXPECT_EQ(hidden_from(olga), "") << "who may watch everything";
  auto carl = person("carl");
  carl.permissions.add(permission::view_specifications);
  for (const auto& who : {carl, person("")})
    EXPECT_THAT(hidden_from(who), HasSubstr("it takes the permission watch_all_events, or the verb "
                                            "'watch' on queue 'anns'"));
}

}  // namespace

}  // namespace argosy::tests
