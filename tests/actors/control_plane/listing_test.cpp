// SPDX-License-Identifier: Apache-2.0
// Goal: jobs are found by whole ids and by what ids begin with, in the order of ids and page by
// page. Method: jobs of two requests, some of them ended, so that both tables of the store are
// walked.
#include <gmock/gmock.h>

#include <algorithm>
#include <string_view>

#include "tests/support/control_plane/control_plane_fixture.hpp"

namespace argosy::tests {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class listing : public control_plane_test {
 protected:
  void SetUp() override {
    start();
    create_queue("a");
    ids = submit("a", {.count = 4});
    pass(std::chrono::milliseconds{5});
    for (const auto& id : submit("a", {.count = 3})) ids.push_back(id);
    std::sort(ids.begin(), ids.end());
    api::JobCancelRequest cancel;
    cancel.set_queue("a");
    cancel.set_job_set_id("set");
    cancel.set_job_id(ids[1]);
    ask<api::CancellationResult>("Submit.CancelJobs", cancel);
    pass();
  }

  std::vector<std::string> find(const std::vector<std::string>& prefixes, std::uint32_t limit = 0,
                                bool active_only = false, const std::string& job_set = {}) {
    std::vector<std::string> out;
    v1::ListJobsRequest request;
    if (!job_set.empty()) request.set_queue("a");
    request.set_job_set(job_set);
    request.set_limit(limit);
    request.set_active_only(active_only);
    for (const auto& prefix : prefixes) request.add_id_prefixes(prefix);
    do {
      const auto reply = ask<v1::ListJobsResponse>("Query.ListJobs", request);
      if (limit > 0) {
        EXPECT_LE(static_cast<std::uint32_t>(reply.jobs_size()), limit);
      }
      for (const auto& job : reply.jobs()) out.push_back(job.job_id());
      request.set_cursor(reply.cursor());
    } while (!request.cursor().empty());
    return out;
  }

  std::vector<std::string> ids;  ///< The ids in ascending order; ids[1] is cancelled.
};

TEST_F(listing, whole_ids_are_found_once_whatever_their_order) {
  EXPECT_THAT(find({ids[5], ids[1], ids[5]}), ElementsAre(ids[1], ids[5]));
  EXPECT_THAT(find({ids[5], ids[1]}, 0, true), ElementsAre(ids[5]));
}

TEST_F(listing, an_id_of_no_job_finds_nothing) {
  // These are all neighbours of a job's id that differ in the last character, without those of its
  // request.
  for (const char last : std::string_view{"0123456789abcdefghjkmnpqrstvwxyz"}) {
    const auto id = ids[6].substr(0, 25) + last;
    if (std::count(ids.begin(), ids.end(), id) == 0) {
      EXPECT_THAT(find({id}), IsEmpty()) << id;
    }
  }
}

TEST_F(listing, prefixes_find_what_begins_with_them) {
  EXPECT_EQ(find({""}), ids);
  EXPECT_EQ(find({ids[0].substr(0, 1)}), ids);
  for (std::size_t length = 1; length <= 26; ++length) {
    const auto prefix = ids[3].substr(0, length);
    std::vector<std::string> wanted;
    for (const auto& id : ids)
      if (id.starts_with(prefix)) wanted.push_back(id);
    EXPECT_EQ(find({prefix}), wanted) << prefix;
    EXPECT_EQ(find({prefix, ids[3]}), wanted) << "one prefix within another";
  }
}

TEST_F(listing, prefixes_find_the_same_within_a_job_set) {
  const auto find_in_set = [&](const std::vector<std::string>& prefixes) {
    return find(prefixes, 0, false, "set");
  };
  EXPECT_EQ(find_in_set({""}), ids);
  EXPECT_THAT(find_in_set({"u", "8", ids[0] + "0", "zzzzzzzzzzzzzzzzzzzzzzzzzz"}), IsEmpty());
  EXPECT_THAT(find_in_set({ids[5], "zz", ids[1], ids[5], "00"}), ElementsAre(ids[1], ids[5]));
  for (std::size_t length = 1; length <= 26; ++length) {
    const auto prefix = ids[3].substr(0, length);
    EXPECT_EQ(find_in_set({prefix, ids[3], "00"}), find({prefix})) << prefix;
  }
  for (const auto& id : ids) EXPECT_THAT(find_in_set({ids[6], ids[0], id}), Contains(id));
}

TEST_F(listing, many_ids_of_a_cancellation_are_taken_once_each) {
  api::JobCancelRequest cancel;
  cancel.set_queue("a");
  cancel.set_job_set_id("set");
  for (int i = 0; i < 50'000; ++i)
    cancel.add_job_ids(to_string(ulid_from_hash(1, 1, static_cast<std::uint64_t>(i))));
  for (const auto& id : {ids[2], ids[4], ids[2]}) cancel.add_job_ids(id);
  const auto done = ask<api::CancellationResult>("Submit.CancelJobs", cancel);
  EXPECT_THAT(done.cancelled_ids(), UnorderedElementsAre(ids[2], ids[4]));
}

TEST_F(listing, pages_end_where_they_should) {
  for (std::uint32_t limit = 1; limit <= 8; ++limit) {
    EXPECT_EQ(find({}, limit), ids) << limit;
    EXPECT_EQ(find({ids[0].substr(0, 1)}, limit), ids) << limit;
    EXPECT_THAT(find({ids[6], ids[0], ids[2]}, limit), ElementsAre(ids[0], ids[2], ids[6]));
  }
}

TEST_F(listing, nodes_come_in_pages_that_fit_into_a_frame) {
  std::vector<model::node_info> many;
  for (int i = 0; i < 3'000; ++i) {
    many.push_back(node_of("n" + std::to_string(i), 1));
    many.back().labels = {{"long", std::string(4'000, 'x')}};
  }
  add_agent("large", std::move(many));
  add_agent("small", {node_of("n", 1)});
  EXPECT_EQ(nodes().size(), 3'001U) << "twelve megabytes in all";
  v1::ListNodesRequest request;
  request.set_limit(2);
  const auto first = ask<v1::ListNodesResponse>("Query.ListNodes", request).cursor();
  EXPECT_THAT(first, EndsWith("/large/n1"));
  const auto mark = first.substr(0, first.rfind("large/n1"));
  request.set_cursor(mark + "large/n998");
  const auto page = ask<v1::ListNodesResponse>("Query.ListNodes", request);
  ASSERT_EQ(page.nodes_size(), 2);
  EXPECT_EQ(page.nodes(0).name(), "n999");
  EXPECT_EQ(page.nodes(1).cluster(), "small");
  EXPECT_EQ(page.cursor(), "");
  request.set_cluster("large");
  request.set_cursor(mark + "large/n999");
  EXPECT_EQ(ask<v1::ListNodesResponse>("Query.ListNodes", request).nodes_size(), 0);
}

TEST_F(listing, a_page_of_jobs_with_long_names_fits_into_a_frame) {
  for (int i = 0; i < 3; ++i)
    submit("a", {.count = 1'500, .job_set = std::string(1'000, static_cast<char>('a' + i))});
  v1::ListJobsRequest request;
  std::size_t found = 0;
  int pages = 0;
  do {
    const auto page = ask<v1::ListJobsResponse>("Query.ListJobs", request);
    found += static_cast<std::size_t>(page.jobs_size());
    request.set_cursor(page.cursor());
    ++pages;
  } while (!request.cursor().empty());
  EXPECT_EQ(found, 7U + 4'500U);
  EXPECT_GT(pages, 1);
}

TEST_F(listing, job_sets_come_in_pages) {
  for (int i = 0; i < 9; ++i) submit("a", {.job_set = "set-" + std::to_string(i)});
  v1::ListJobSetsRequest request;
  request.set_limit(4);
  std::vector<std::string> found;
  int pages = 0;
  do {
    const auto page = ask<v1::ListJobSetsResponse>("Query.ListJobSets", request);
    for (const auto& one : page.job_sets()) found.push_back(one.job_set());
    request.set_cursor(page.cursor());
    ++pages;
  } while (!request.cursor().empty());
  EXPECT_EQ(pages, 3);
  EXPECT_THAT(found, UnorderedElementsAre("set", "set-0", "set-1", "set-2", "set-3", "set-4",
                                          "set-5", "set-6", "set-7", "set-8"));
  request.set_cursor("nonsense");
  EXPECT_EQ(call("Query.ListJobSets", request).error().code, ec::invalid_argument);
}

TEST_F(listing, what_is_no_beginning_of_an_id_finds_nothing) {
  EXPECT_THAT(find({"u", "8", ids[0] + "0", "zzzzzzzzzzzzzzzzzzzzzzzzzz"}), IsEmpty());
}

}  // namespace argosy::tests
