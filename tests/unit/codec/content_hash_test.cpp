// SPDX-License-Identifier: Apache-2.0
// Goal: a request that is sent again has the same content hash, and no other request has it.
// Method: one request is decoded again and again with one thing changed at a time.
#include <gtest/gtest.h>

#include <set>

#include "messages/codec/submit/submit_codec.hpp"
#include "tests/unit/codec/submit_fixture.hpp"

namespace argosy::codec {
namespace {

TEST(content_hash, tells_requests_under_one_key_apart) {
  submit_bench bench;
  const auto of = [&](const auto& change) {
    auto request = valid_request(2);
    change(request);
    const auto decoded = bench.decode(request);
    EXPECT_TRUE(decoded);
    for (const auto& job : decoded->jobs) EXPECT_EQ(job->body_hash, 0U);
    return decoded->content_hash;
  };
  const auto nothing = [](auto&) {};
  EXPECT_EQ(of(nothing), 0U) << "nobody asks";
  bench.context.has_key = true;
  const auto first = of(nothing);
  bench.context.now_ns += 1'000'000;
  bench.context.owner_groups = {"others"};
  EXPECT_EQ(of(nothing), first) << "time and groups may change until the repetition";
  std::set<std::uint64_t> all{first};
  all.insert(of([](auto& request) { request.set_job_set_id("other"); }));
  all.insert(of([](auto& request) { request.mutable_job_request_items(1)->set_priority(9); }));
  all.insert(of([](auto& request) { request.mutable_job_request_items(0)->set_priority(9); }));
  all.insert(of([](auto& request) { request.mutable_job_request_items()->RemoveLast(); }));
  all.insert(of([](auto& request) {
    request.mutable_job_request_items(1)->mutable_pod_spec()->set_activedeadlineseconds(7);
  }));
  bench.context.owner = "bob";
  all.insert(of(nothing));
  EXPECT_EQ(all.size(), 7U);
}

}  // namespace
}  // namespace argosy::codec
