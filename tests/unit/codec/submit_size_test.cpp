// SPDX-License-Identifier: Apache-2.0
// Goal: a job whose specification could not travel to its agent is refused when it is submitted,
// however it came to its size. Method: requests in which each other limit holds.
#include <gmock/gmock.h>

#include "tests/unit/codec/submit_fixture.hpp"

namespace argosy::codec {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

submit_limits small_specs() {
  submit_limits limits;
  limits.spec_size_max = 20'000;
  return limits;
}

void expect_refused(const result<submission>& read) {
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ec::too_large);
  EXPECT_THAT(read.error().detail, AllOf(HasSubstr("job_request_items[0]"), HasSubstr("20000"),
                                         HasSubstr("specification")));
}

TEST(submit_size, of_a_specification_is_limited) {
  submit_bench bench{small_specs()};
  const auto with_text = [&](std::size_t size) {
    return bench.decode_changed([&](api::JobSubmitRequest& request) {
      (*request.mutable_job_request_items(0)->mutable_annotations())["a"] = std::string(size, 'x');
    });
  };
  EXPECT_TRUE(with_text(18'000));
  expect_refused(with_text(20'000));
}

TEST(submit_size, counts_the_ids_that_take_the_place_of_marks) {
  submit_bench bench{small_specs()};
  expect_refused(bench.decode_changed([&](api::JobSubmitRequest& request) {
    auto& text = (*request.mutable_job_request_items(0)->mutable_annotations())["a"];
    for (int i = 0; i < 1'000; ++i) text += "{JobId}";
  }));
}

TEST(submit_size, counts_services_and_ingresses) {
  submit_bench bench{small_specs()};
  expect_refused(bench.decode_changed([&](api::JobSubmitRequest& request) {
    auto& item = *request.mutable_job_request_items(0);
    item.add_services()->set_name(std::string(10'000, 's'));
    auto& ingress = *item.add_ingress();
    ingress.add_ports(80);
    (*ingress.mutable_annotations())["a"] = std::string(10'000, 'i');
  }));
}

TEST(submit_size, fits_into_a_frame_by_default) {
  submit_bench bench;
  const auto read = bench.decode_changed([&](api::JobSubmitRequest& request) {
    for (int i = 0; i < 50; ++i)
      request.mutable_job_request_items(0)->add_services()->set_name(std::string(100'000, 's'));
  });
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().detail, HasSubstr("1048576"));
}

}  // namespace
}  // namespace argosy::codec
