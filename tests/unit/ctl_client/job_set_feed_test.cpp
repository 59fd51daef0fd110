// SPDX-License-Identifier: Apache-2.0
// Goal: a feed outlives a server that is away for less than its patience, however often. Method: a
// client whose streams break when they are told to.
#include "bins/argosyctl/client/job_set_feed.hpp"

#include <gtest/gtest.h>

namespace argosy::ctl {

namespace {

using namespace std::chrono_literals;

class breaking_client final : public client {
 public:
  class reader final : public stream_reader {
   public:
    explicit reader(const bool& works) : works_(works) {}
    result<event> next(std::string&, std::chrono::milliseconds) override {
      if (!works_) return fail(ec::unreachable, "the connection broke");
      return event::quiet;
    }

   private:
    const bool& works_;
  };

  result<reply> exchange(std::string_view, std::string, repeatable, const header_list&) override {
    return fail(ec::no_responders, "not served");
  }
  void start_exchange(std::string_view, std::string, repeatable, const header_list&,
                      full_answer done) override {
    done(fail(ec::no_responders, "not served"));
  }
  result<std::unique_ptr<stream_reader>> open(std::string_view, std::string) override {
    std::unique_ptr<stream_reader> made = std::make_unique<reader>(works);
    return made;
  }
  std::size_t request_size_max() const override { return 1'000; }
  std::string server() const override { return "a client that breaks"; }

  bool works = true;
};

/// This server has the event "old" no more.
class other_history final : public client {
 public:
  class reader final : public stream_reader {
   public:
    explicit reader(std::string from) : from_(std::move(from)) {}
    result<event> next(std::string& data, std::chrono::milliseconds) override {
      if (from_ == "old") return fail(ec::conflict, "read again from the beginning");
      if (!from_.empty()) return event::quiet;
      api::EventStreamMessage first;
      first.set_id(from_ = "new");
      data = first.SerializeAsString();
      return event::item;
    }

   private:
    std::string from_;
  };

  result<reply> exchange(std::string_view, std::string, repeatable, const header_list&) override {
    return fail(ec::no_responders, "not served");
  }
  void start_exchange(std::string_view, std::string, repeatable, const header_list&,
                      full_answer done) override {
    done(fail(ec::no_responders, "not served"));
  }
  result<std::unique_ptr<stream_reader>> open(std::string_view, std::string request) override {
    api::JobSetRequest asked;
    EXPECT_TRUE(asked.ParseFromString(request));
    return std::make_unique<reader>(asked.from_message_id());
  }
  std::size_t request_size_max() const override { return 1'000; }
  std::string server() const override { return "a server that was set back"; }
};

class job_set_feeds : public ::testing::Test {
 protected:
  job_set_feeds() {
    request.queue = "a";
    request.job_set = "s";
    request.patience = 200ms;
  }

  /// Reads until the feed fails, or until `away` describes it.
  bool read_until(job_set_feed& feed, bool away) {
    api::EventStreamMessage event;
    while (feed.is_away() != away)
      if (!feed.next(event, 1ms)) return false;
    return true;
  }

  breaking_client server;
  feed_request request;
};

TEST_F(job_set_feeds, fail_when_the_server_is_away_for_too_long) {
  job_set_feed feed{server, request};
  server.works = false;
  ASSERT_TRUE(read_until(feed, true));
  EXPECT_FALSE(read_until(feed, false));
}

TEST_F(job_set_feeds, have_their_whole_patience_again_after_the_server_was_back) {
  job_set_feed feed{server, request};
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 4; ++i) {
    server.works = false;
    ASSERT_TRUE(read_until(feed, true)) << i;
    server.works = true;
    ASSERT_TRUE(read_until(feed, false)) << i;
  }
  EXPECT_GT(std::chrono::steady_clock::now() - begin, request.patience)
      << "longer than it may be away at once";
}

TEST_F(job_set_feeds, begin_again_when_the_server_does_not_have_the_place_any_more) {
  other_history set_back;
  request.from = "old";
  job_set_feed feed{set_back, request};
  api::EventStreamMessage event;
  EXPECT_EQ(feed.next(event, 1ms).value(), stream_reader::event::quiet);
  EXPECT_TRUE(feed.take_restart());
  EXPECT_FALSE(feed.take_restart()) << "it is told once";
  EXPECT_EQ(feed.next(event, 1ms).value(), stream_reader::event::item);
  EXPECT_EQ(event.id(), "new");
  EXPECT_EQ(feed.next(event, 1ms).value(), stream_reader::event::quiet);
  EXPECT_FALSE(feed.take_restart());
}

}  // namespace

}  // namespace argosy::ctl
