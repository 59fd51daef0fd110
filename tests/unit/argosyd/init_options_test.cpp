// SPDX-License-Identifier: Apache-2.0
// Goal: `argosyd init` drops no option without a word. Method: the check alone, with a deployment
// that is there.
#include <gmock/gmock.h>

#include "bins/argosyd/init/new_options.hpp"

namespace argosy::argosyd {

namespace {

using ::testing::HasSubstr;

class init_options : public ::testing::Test {
 protected:
  init_options() {
    there.listen = "10.0.0.1:4222";
    there.url = "nats://10.0.0.1:4222";
    there.store_dir = "/var/lib/argosy/jetstream";
    asked.add_users = {"eve"};
  }
  std::string said() {
    const auto fits = refuse_another(std::exchange(asked, {}), there);
    if (fits) return {};
    EXPECT_EQ(fits.error().code, ec::invalid_argument);
    return fits.error().detail;
  }

  access::server_plan there;
  init_request asked;
};

TEST_F(init_options, for_a_new_deployment_are_refused_where_one_is_there) {
  EXPECT_EQ(said(), "");
  asked.listen = "127.0.0.1:9999";
  EXPECT_THAT(said(), HasSubstr("--listen is for a new deployment; this one has 10.0.0.1:4222"));
  asked.url = "nats://elsewhere:1";
  EXPECT_THAT(said(), HasSubstr("--url"));
  asked.store = "/mnt/log";
  EXPECT_THAT(said(), HasSubstr("--store-dir"));
  asked.certificate = "/x";
  EXPECT_THAT(said(), HasSubstr("--tls-cert is for a new deployment; this one has none"));
  asked.clusters = {"b"};
  EXPECT_THAT(said(), HasSubstr("--add-cluster"));
  asked.users = {"bob"};
  EXPECT_THAT(said(), HasSubstr("--add-user"));
}

TEST_F(init_options, name_no_url_that_settings_would_refuse) {
  for (const auto* url : {"http://x:1", "nats://", "nats://x:port", "nats://a b:1"}) {
    asked.url = url;
    const auto fits = check_url(asked);
    ASSERT_FALSE(fits) << url;
    EXPECT_EQ(fits.error().code, ec::invalid_argument);
    EXPECT_THAT(fits.error().detail, ::testing::StartsWith("--url: "));
  }
  for (const auto* url : {"", "tls://nats.example.com:4222", "nats://a:1,nats://b:2"}) {
    asked.url = url;
    EXPECT_TRUE(check_url(asked)) << url;
  }
}

TEST_F(init_options, that_say_what_is_there_are_not) {
  asked.listen = there.listen;
  asked.url = there.url;
  asked.store = there.store_dir;
  EXPECT_EQ(said(), "");
}

}  // namespace

}  // namespace argosy::argosyd
