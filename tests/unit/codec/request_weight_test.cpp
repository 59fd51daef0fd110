// SPDX-License-Identifier: Apache-2.0
// Goal: a request that would take much memory when it is decoded is refused before it is. Method:
// messages of which many small parts make large objects, and what protobuf says that they take.
#include "messages/codec/api/request_weight.hpp"

#include <gtest/gtest.h>

#include "messages/proto/api/submit.pb.h"

namespace argosy::codec {

namespace {

constexpr std::size_t no_end = std::size_t{1} << 40;

/// Jobs as people submit them.
api::JobSubmitRequest jobs(int count) {
  api::JobSubmitRequest out;
  out.set_queue("a queue");
  out.set_job_set_id("a set");
  for (int i = 0; i < count; ++i) {
    auto& job = *out.add_job_request_items();
    (*job.mutable_labels())["some"] = "label of the job";
    auto& container = *job.mutable_pod_spec()->add_containers();
    container.set_image("registry.example/image:1");
    container.add_command("sleep");
    container.add_args("600");
    for (const auto* name : {"cpu", "memory"}) {
      (*container.mutable_resources()->mutable_requests())[name].set_string("1");
      (*container.mutable_resources()->mutable_limits())[name].set_string("1");
    }
  }
  return out;
}

TEST(request_weight, is_about_what_a_message_takes) {
  const auto request = jobs(1'000);
  const auto weight = weight_of(request.SerializeAsString(), request, no_end);
  EXPECT_GT(weight, request.SpaceUsedLong() / 2);
  EXPECT_LT(weight, request.SpaceUsedLong() * 2);
}

TEST(request_weight, lets_usual_requests_pass) {
  const auto bytes = jobs(5'000).SerializeAsString();
  api::JobSubmitRequest out;
  EXPECT_TRUE(read_request(bytes, out));
  EXPECT_EQ(out.job_request_items_size(), 5'000);
}

TEST(request_weight, is_too_much_for_many_parts_of_no_bytes) {
  const auto refused = [](const google::protobuf::Message& many) {
    api::JobSubmitRequest out;
    const auto got = read_request(many.SerializeAsString(), out);
    return !got && got.error().code == ec::invalid_argument &&
           got.error().detail.find("send it in several requests") != std::string::npos;
  };
  api::JobSubmitRequest items;
  for (int i = 0; i < 500'000; ++i) items.add_job_request_items();
  EXPECT_TRUE(refused(items));
  api::JobSubmitRequest containers;
  auto& pod = *containers.add_job_request_items()->mutable_pod_spec();
  for (int i = 0; i < 500'000; ++i) pod.add_containers();
  EXPECT_TRUE(refused(containers));
  api::JobSubmitRequest words;
  auto& main = *words.add_job_request_items()->mutable_pod_spec()->add_containers();
  for (int i = 0; i < 2'000'000; ++i) main.add_args();
  EXPECT_TRUE(refused(words));
}

TEST(request_weight, counts_what_is_not_known) {
  // Two bytes each of a field of the number 15.
  std::string unknown;
  for (int i = 0; i < 1'000'000; ++i) unknown += std::string{"\x7a\x00", 2};
  EXPECT_GT(weight_of(unknown, api::JobSubmitRequest{}, no_end), 16'000'000U);
}

TEST(request_weight, ends_with_bytes_that_are_no_message) {
  api::JobSubmitRequest out;
  std::string bytes(100'000, '\xff');
  EXPECT_EQ(read_request(bytes, out).error().detail,
            "the request does not decode as api.JobSubmitRequest");
  // A part that is longer than what it stands in.
  bytes = std::string{"\x1a\x7f\x12\x7f", 4} + std::string(100'000, '\0');
  EXPECT_LT(weight_of(bytes, out, no_end), 100'000U);
}

}  // namespace

}  // namespace argosy::codec
