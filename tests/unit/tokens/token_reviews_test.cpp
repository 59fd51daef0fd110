// SPDX-License-Identifier: Apache-2.0
// Goal: a token of Kubernetes is good if its cluster says so, which is asked once in a while only,
// and a cluster that fails delays nobody for long. Method: scripted clusters and a clock that the
// test sets.
#include "runtime/access/tokens/token_reviews.hpp"

#include <gmock/gmock.h>

#include <atomic>
#include <future>

#include "runtime/access/tokens/base64url.hpp"
#include "tests/support/tokens/token_signer.hpp"

namespace argosy::access {

namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::ElementsAre;
using testing::token_signer;

constexpr auto review_path = "/apis/authentication.k8s.io/v1/tokenreviews";

std::string header_of(const std::string& token) {
  return "KubernetesAuth " +
         encode_base64url(json{{"token", token}, {"ca", encode_base64url("PEM")}}.dump());
}

class reviews : public ::testing::Test {
 protected:
  reviews() {
    settings.reviewers = {{"k1", "https://east/", "/etc/east.pem"}, {"k2", "https://west", ""}};
    settings.permissions = {{permission::submit_any_jobs, {"system:serviceaccount:a:b"}, {}, {}}};
    settings.failed = [this](const error&) { ++failures; };
  }
  void start() {
    clocks set;
    set.wall = [this] {
      return std::chrono::system_clock::time_point{std::chrono::seconds{seconds}};
    };
    set.steady = [this] {
      return std::chrono::steady_clock::time_point{std::chrono::seconds{seconds}};
    };
    users.emplace(
        settings, [this](const http_request& asked) { return answer(asked); }, set);
  }
  result<http_answer> answer(const http_request& asked) {
    ++asks;
    const std::scoped_lock lock{guard};
    last = asked;
    if (status == 0) return fail(ec::unreachable, "nobody is there");
    return http_answer{status, body};
  }
  void answer_with(int now, const json& with) {
    const std::scoped_lock lock{guard};
    status = now;
    body = with.dump();
  }
  token_reviews::outcome ask(const std::string& token) {
    std::promise<token_reviews::outcome> told;
    auto shown = parse_kubernetes(header_of(token));
    EXPECT_TRUE(shown);
    users->check({}, std::move(*shown), [&](token_reviews::outcome got) { told.set_value(got); });
    return told.get_future().get();
  }
  ec code(const std::string& token) {
    const auto got = ask(token);
    return std::holds_alternative<principal>(got) ? ec::none : std::get<error>(got).code;
  }

  const json good{
      {"status", {{"authenticated", true}, {"user", {{"username", "system:serviceaccount:a:b"}}}}}};
  token_signer east;
  token_signer west{token_signer::kind::elliptic, "k2"};
  std::string token = east.token({{"sub", "x"}});
  token_reviews::config settings;
  std::atomic<std::int64_t> seconds = 1'000;
  std::atomic<int> asks = 0;
  std::atomic<int> failures = 0;
  std::mutex guard;  ///< Guards what follows.
  int status = 201;
  std::string body = good.dump();
  http_request last;
  std::optional<token_reviews> users;
};

TEST(kubernetes_headers, are_read_as_armadas_clients_write_them) {
  const token_signer signer;
  const auto token = signer.token({{"sub", "x"}});
  const auto shown = parse_kubernetes(header_of(token)).value();
  EXPECT_EQ(shown.token, token);
  EXPECT_EQ(shown.key_id, "k1");
  EXPECT_TRUE(is_kubernetes("KubernetesAuth x"));
  EXPECT_FALSE(is_kubernetes("kubernetesauth x")) << "the word has one spelling";
  EXPECT_FALSE(is_kubernetes("Bearer x"));
  const auto wrapped = [](const json& what) {
    return "KubernetesAuth " + encode_base64url(what.dump());
  };
  for (const auto& wrong :
       {std::string{"KubernetesAuth "}, std::string{"KubernetesAuth ***"}, wrapped(json{}),
        wrapped("text"), wrapped({{"ca", "x"}}), wrapped({{"token", 7}}), header_of("no-token"),
        header_of("a.b.c\r\nX-Injected: 1"), "KubernetesAuth " + std::string(100'000, 'A')})
    EXPECT_EQ(parse_kubernetes(wrong), std::nullopt) << wrong.substr(0, 60);
}

TEST_F(reviews, make_the_user_name_the_only_group_beside_everyone) {
  start();
  const auto got = ask(token);
  const auto& who = std::get<principal>(got);
  EXPECT_EQ(who.name, "system:serviceaccount:a:b");
  EXPECT_EQ(who.by, scheme::kubernetes);
  EXPECT_THAT(who.groups, ElementsAre("everyone", "system:serviceaccount:a:b"));
  EXPECT_EQ(who.permissions, permission_set{permission::submit_any_jobs});
  EXPECT_EQ(last.url, std::string{"https://east"} + review_path);
  EXPECT_EQ(last.authorization, "Bearer " + token);
  EXPECT_EQ(last.authorities, "/etc/east.pem");
  EXPECT_EQ(json::parse(last.body)["kind"], "TokenReview");
  EXPECT_EQ(json::parse(last.body)["spec"]["token"], token);
}

TEST_F(reviews, go_to_the_cluster_whose_key_the_token_names) {
  start();
  EXPECT_EQ(code(west.token({{"sub", "x"}})), ec::none);
  EXPECT_EQ(last.url, std::string{"https://west"} + review_path);
  const token_signer other{token_signer::kind::elliptic, "k3"};
  EXPECT_EQ(code(other.token({{"sub", "x"}})), ec::denied) << "nobody is asked about it";
  EXPECT_EQ(asks, 1);
  settings.reviewers.push_back({"", "https://rest", ""});
  users.reset();
  start();
  EXPECT_EQ(code(other.token({{"sub", "x"}})), ec::none);
  EXPECT_EQ(last.url, std::string{"https://rest"} + review_path);
}

TEST_F(reviews, are_remembered_for_a_time) {
  start();
  EXPECT_EQ(code(token), ec::none);
  answer_with(401, json{});
  seconds += 299;
  EXPECT_EQ(code(token), ec::none);
  EXPECT_EQ(asks, 1);
  seconds += 1;
  EXPECT_EQ(code(token), ec::denied) << "the cluster has taken it back";
  answer_with(201, good);
  seconds += 59;
  EXPECT_EQ(code(token), ec::denied);
  EXPECT_EQ(asks, 2);
  seconds += 1;
  EXPECT_EQ(code(token), ec::none);
}

TEST_F(reviews, are_not_remembered_for_longer_than_the_token_is_good) {
  start();
  const auto brief = east.token({{"sub", "x"}, {"exp", 1'010}});
  EXPECT_EQ(code(brief), ec::none);
  seconds += 9;
  EXPECT_EQ(code(brief), ec::none);
  EXPECT_EQ(asks, 1);
  answer_with(401, json{});
  seconds += 1;
  EXPECT_EQ(code(brief), ec::denied);
}

TEST_F(reviews, that_fail_are_not_asked_again_at_once) {
  answer_with(0, json{});
  start();
  EXPECT_EQ(code(token), ec::unavailable);
  EXPECT_EQ(failures, 1);
  EXPECT_EQ(code(east.token({{"sub", "y"}})), ec::unavailable) << "of the same cluster";
  EXPECT_EQ(asks, 1);
  EXPECT_EQ(code(west.token({{"sub", "x"}})), ec::unavailable);
  EXPECT_EQ(asks, 2) << "another cluster may be well";
  answer_with(201, good);
  seconds += 5;
  EXPECT_EQ(code(token), ec::none);
}

TEST_F(reviews, answer_what_they_mean) {
  const auto meaning = [](int status, const std::string& body) {
    const auto read = read_review({status, body});
    return read ? ec::none : read.error().code;
  };
  EXPECT_EQ(meaning(201, good.dump()), ec::none);
  EXPECT_EQ(meaning(200, good.dump()), ec::none);
  EXPECT_EQ(meaning(201, R"({"status":{"authenticated":false,"user":{"username":"x"}}})"),
            ec::denied);
  EXPECT_EQ(meaning(201, R"({"status":{"user":{"username":"x"}}})"), ec::denied);
  EXPECT_EQ(meaning(201, R"({"status":{"authenticated":"true","user":{"username":"x"}}})"),
            ec::denied);
  EXPECT_EQ(meaning(201, R"({"status":{"authenticated":true}})"), ec::denied);
  EXPECT_EQ(meaning(201, R"({"status":{"authenticated":true,"user":{"username":""}}})"),
            ec::denied);
  EXPECT_EQ(meaning(201, R"({"status":{"authenticated":true,"user":{"username":"anonymous"}}})"),
            ec::denied);
  EXPECT_EQ(meaning(401, ""), ec::denied);
  EXPECT_EQ(meaning(403, ""), ec::denied) << "a user without the right must not block his cluster";
  EXPECT_EQ(meaning(400, ""), ec::denied);
  EXPECT_EQ(meaning(429, ""), ec::unavailable);
  EXPECT_EQ(meaning(500, ""), ec::unavailable);
  EXPECT_EQ(meaning(302, ""), ec::unavailable);
  EXPECT_EQ(meaning(200, "<html>"), ec::unavailable);
}

TEST_F(reviews, of_one_token_are_one_question_however_many_wait) {
  std::promise<void> gate;
  std::promise<void> entered;
  users.emplace(settings, [&](const http_request& asked) {
    ++asks;
    if (asks == 1) {
      entered.set_value();
      gate.get_future().wait();
    }
    return answer(asked);
  });
  std::promise<void> done;
  std::atomic<int> told = 0;
  for (int i = 0; i < 10; ++i)
    users->check({}, {token, "k1"}, [&](const token_reviews::outcome& got) {
      EXPECT_TRUE(std::holds_alternative<principal>(got));
      if (++told == 10) done.set_value();
    });
  entered.get_future().wait();
  EXPECT_EQ(code(west.token({{"sub", "x"}})), ec::none) << "another cluster is asked meanwhile";
  gate.set_value();
  done.get_future().wait();
}

TEST(remembered_things, are_forgotten_when_there_are_too_many) {
  remembered<int> some{2};
  const std::chrono::steady_clock::time_point now{};
  some.put("a", 1, now + 1s, now);
  some.put("b", 2, now + 9s, now);
  some.put("c", 3, now + 9s, now + 2s);
  EXPECT_EQ(some.find("a", now + 2s), nullptr);
  EXPECT_EQ(*some.find("b", now + 2s), 2);
  EXPECT_EQ(some.find("b", now + 9s), nullptr);
  some.put("d", 4, now + 9s, now + 2s);
  EXPECT_EQ(some.size(), 1U);
  EXPECT_EQ(*some.find("d", now + 2s), 4);
}

}  // namespace

}  // namespace argosy::access
