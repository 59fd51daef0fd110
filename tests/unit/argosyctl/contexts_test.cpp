// SPDX-License-Identifier: Apache-2.0
// Goal: a user logs in once and then works with several servers by name, no secret is ever shown or
// readable by others, and a refused login leaves everything as it was. Method: the whole command
// line against a scripted server and a home folder of its own.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

#include "bins/argosyctl/client/contexts.hpp"
#include "messages/proto/argosy/access.pb.h"
#include "tests/support/cli/cli_fixture.hpp"
#include "tests/support/nats/authority.hpp"

namespace argosy::ctl {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class contexts : public cli_fixture {
 protected:
  contexts() {
    variables.erase("ARGOSY_SERVER");
    argosy::v1::WhoAmIResponse me;
    me.set_name("ann");
    server->always("Access.WhoAmI", me);
    server->always("Query.ListQueues", argosy::v1::ListQueuesResponse{});
  }
  std::filesystem::path file() const { return home / ".config" / "argosy" / "config.yaml"; }
  std::string text() const {
    std::ifstream in{file()};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  void write(const std::string& content) {
    std::filesystem::create_directories(file().parent_path());
    std::ofstream{file()} << content;
    ::chmod(file().c_str(), 0600);
  }
  static unsigned mode_of(const std::filesystem::path& path) {
    struct stat about {};
    return ::stat(path.c_str(), &about) == 0 ? about.st_mode & 07777u : 0;
  }
};

TEST_F(contexts, login_keeps_what_the_server_accepted_and_hides_the_password) {
  auto done =
      run({"login", "nats://h:4222", "--name", "work", "--user", "ann", "--password-file", "-"},
          "s3cret\n");
  ASSERT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_THAT(done.out, HasSubstr("logged in to nats://h:4222 as ann; 'work' is now the current"));
  EXPECT_EQ(connected.url, "nats://ann:s3cret@h:4222");
  EXPECT_EQ(mode_of(file()), 0600u);
  EXPECT_THAT(text(), HasSubstr("password: \"s3cret\""));
  done = run({"config", "view"});
  EXPECT_THAT(done.out, AllOf(HasSubstr("password: REDACTED"), Not(HasSubstr("s3cret"))));
  for (const std::string as : {"wide", "json", "csv", "yaml"})
    EXPECT_THAT(run({"config", "get-contexts", "-o", as}).out, Not(HasSubstr("s3cret")));
  connected = {};
  EXPECT_EQ(run({"get", "queues"}).code, exit_code::success);
  EXPECT_EQ(connected.url, "nats://ann:s3cret@h:4222");
}

TEST_F(contexts, login_by_token_by_credentials_and_without) {
  auto done = run({"login", "nats://h:4222", "--token-file", "-"}, "tok\n");
  ASSERT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_EQ(connected.url, "nats://tok@h:4222");
  EXPECT_EQ(run({"config", "current-context"}).out, "h:4222\n");
  done = run({"login", "nats://h:4222", "--no-credentials"});
  ASSERT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_EQ(connected.url, "nats://h:4222");
  EXPECT_THAT(text(), Not(HasSubstr("tok")));
  const auto key = home / "key";
  std::ofstream{key} << "no credentials\n";
  ::chmod(key.c_str(), 0600);
  done = run({"login", "nats://h:4222", "--credentials", key.string()});
  EXPECT_EQ(done.code, exit_code::usage);
  EXPECT_THAT(done.err, HasSubstr("this is no credentials file"));
  ::chmod(key.c_str(), 0644);
  done = run({"login", "nats://h:4222", "--credentials", key.string()});
  EXPECT_EQ(done.code, exit_code::denied);
  EXPECT_THAT(done.err, HasSubstr("chmod 600"));
}

TEST_F(contexts, have_a_certificate_and_its_key_and_say_what_is_wrong_with_them) {
  const testing::authority own{"DNS:ann"};
  const testing::authority other{"DNS:bob"};
  const auto set = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"config", "set-context", "work", "--server", "tls://h:4222"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  struct row {
    std::vector<std::string> flags;
    std::string words;
  };
  const auto nothing = (home / "nothing").string();
  const auto locked = (home / "locked.key").string();
  std::ofstream{locked} << "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n"
                           "-----END ENCRYPTED PRIVATE KEY-----\n";
  ::chmod(locked.c_str(), 0600);
  const auto none = (home / "none.key").string();
  std::ofstream{none} << "no key\n";
  ::chmod(none.c_str(), 0600);
  for (const auto& [flags, words] : std::vector<row>{
           {{"--cert-file", own.certificate()}, "certificateFile and keyFile belong together"},
           {{"--key-file", own.key()}, "certificateFile and keyFile belong together"},
           {{"--cert-file", nothing, "--key-file", own.key()}, "No such file"},
           {{"--cert-file", own.key(), "--key-file", own.key()}, "has no certificate (PEM)"},
           {{"--cert-file", own.certificate(), "--key-file", none}, "has no private key"},
           {{"--cert-file", own.certificate(), "--key-file", locked}, "openssl pkey -in"},
           {{"--cert-file", own.certificate(), "--key-file", other.key()},
            "is not the private key of the certificate"},
           {{"--ca-file", own.key()}, "has no certificate (PEM)"},
           {{"--ca-file", nothing}, "No such file"}}) {
    const auto got = set(flags);
    EXPECT_EQ(got.code, exit_code::usage) << words;
    EXPECT_THAT(got.err, HasSubstr(words));
  }
  EXPECT_FALSE(std::filesystem::exists(file()));
  ::chmod(own.key().c_str(), 0644);
  auto got = set({"--cert-file", own.certificate(), "--key-file", own.key()});
  EXPECT_EQ(got.code, exit_code::denied);
  EXPECT_THAT(got.err, HasSubstr("chmod 600"));
  ::chmod(own.key().c_str(), 0600);
  got =
      set({"--ca-file", own.ca_file(), "--cert-file", own.certificate(), "--key-file", own.key()});
  ASSERT_EQ(got.code, exit_code::success) << got.err;
  run({"config", "use-context", "work"});
  EXPECT_EQ(run({"get", "queues"}).code, exit_code::success);
  EXPECT_EQ(connected.from.certificate, own.certificate());
  EXPECT_EQ(connected.from.key, own.key());
  EXPECT_EQ(connected.from.ca_file, own.ca_file());
  EXPECT_THAT(run({"config", "get-contexts"}).out, HasSubstr("certificate"));
  EXPECT_THAT(run({"config", "view"}).out,
              AllOf(HasSubstr(own.key()), Not(HasSubstr("PRIVATE KEY"))));
  EXPECT_EQ(set({"--cert-file", ""}).code, exit_code::success);
  EXPECT_THAT(text(), Not(HasSubstr("keyFile")));
}

TEST_F(contexts, a_refused_login_writes_nothing) {
  server->refuse("Access.WhoAmI", {ec::denied, "not you"});
  EXPECT_EQ(run({"login", "nats://h:4222"}).code, exit_code::denied);
  connection = fail(ec::unreachable, "no server");
  EXPECT_EQ(run({"login", "nats://h:4222"}).code, exit_code::unreachable);
  EXPECT_FALSE(std::filesystem::exists(file()));
  EXPECT_EQ(run({"login", "http://h:80"}).code, exit_code::usage);
  EXPECT_EQ(run({"login"}).code, exit_code::usage);
}

TEST_F(contexts, are_made_chosen_renamed_and_deleted) {
  EXPECT_EQ(run({"config", "set-context", "a", "--server", "nats://a:1"}).out,
            "context 'a' created\n");
  EXPECT_EQ(run({"config", "set-context", "b", "--server", "nats://b:2", "--ca-file",
                 (home / "no").string()})
                .code,
            exit_code::usage);
  EXPECT_EQ(run({"config", "set-context", "b", "--server", "nats://b:2"}).code, exit_code::success);
  EXPECT_EQ(run({"config", "use-context", "b"}).code, exit_code::success);
  EXPECT_EQ(run({"config", "get-contexts"}).out,
            "CURRENT  NAME  SERVER      LOGIN  USER\n"
            "-        a     nats://a:1  none   -\n"
            "*        b     nats://b:2  none   -\n");
  EXPECT_EQ(run({"config", "rename-context", "b", "a"}).code, exit_code::conflict);
  EXPECT_EQ(run({"config", "rename-context", "b", "c"}).out, "context 'b' is now 'c'\n");
  EXPECT_EQ(run({"config", "current-context"}).out, "c\n");
  const auto missing = run({"config", "use-context", "cc"});
  EXPECT_EQ(missing.code, exit_code::not_found);
  EXPECT_THAT(missing.err, HasSubstr("there is no context 'cc'"));
  const auto gone = run({"config", "delete-context", "c"});
  EXPECT_THAT(gone.err, HasSubstr("it was the current one"));
  EXPECT_EQ(run({"config", "current-context"}).code, exit_code::not_found);
  EXPECT_EQ(run({"config", "get-contexts", "-o", "name"}).out, "context/a\n");
  EXPECT_EQ(connects, 0) << "no server is asked";
}

TEST_F(contexts, an_address_over_grpc_is_kept_and_its_password_hidden) {
  auto done = run({"config", "set-context", "work", "--server", "nats://h:4222", "--grpc",
                   "grpcs://ann:s3cret@h:50051"});
  ASSERT_EQ(done.code, exit_code::success) << done.err;
  EXPECT_THAT(text(), HasSubstr("grpc: \"grpcs://ann:s3cret@h:50051\""));
  for (const std::string as : {"wide", "json"})
    EXPECT_THAT(run({"config", "get-contexts", "-o", as}).out,
                AllOf(HasSubstr("grpcs://REDACTED@h:50051"), Not(HasSubstr("s3cret"))));
  ::chmod(file().c_str(), 0644);
  EXPECT_THAT(run({"config", "view"}).err, HasSubstr("has secrets"));
  done = run({"config", "set-context", "work", "--grpc", "h:50051"});
  EXPECT_EQ(done.code, exit_code::usage);
  EXPECT_THAT(done.err, HasSubstr("grpc must be grpc://HOST:PORT"));
  EXPECT_EQ(run({"config", "set-context", "work", "--grpc", ""}).code, exit_code::success);
  EXPECT_THAT(text(), Not(HasSubstr("grpc")));
}

TEST_F(contexts, a_file_that_others_can_read_is_warned_of) {
  write("currentContext: a\ncontexts: {a: {server: 'nats://h:1', token: t}}\n");
  EXPECT_EQ(run({"get", "queues"}).err.find("warning"), std::string::npos);
  ::chmod(file().c_str(), 0644);
  EXPECT_THAT(run({"get", "queues"}).err, HasSubstr("say: chmod 600 "));
  EXPECT_THAT(run({"config", "view"}).err, HasSubstr("mode 0644"));
}

TEST_F(contexts, mistakes_of_the_file_are_told_with_their_place_and_nothing_is_lost) {
  write("contexts:\n  a: {server: 'nats://h:1', tokn: t}\n");
  const auto before = text();
  auto done = run({"config", "set-context", "b", "--server", "nats://b:2"});
  EXPECT_EQ(done.code, exit_code::usage);
  EXPECT_THAT(done.err, AllOf(HasSubstr("config.yaml:2:"), HasSubstr("there is no key 'tokn'"),
                              HasSubstr("token")));
  EXPECT_EQ(text(), before);
  write("contexts:\n  a: {server: 'nats://h:1', token: t, user: u}\n");
  EXPECT_THAT(run({"config", "view"}).err, HasSubstr("one of user, token and credentials"));
}

TEST_F(contexts, their_names_complete) {
  write("contexts: {work: {server: 'nats://h:1'}, home: {server: 'nats://i:1'}}\n");
  EXPECT_EQ(run({"__complete", "config", "use-context", "w"}).out, "work\n");
  EXPECT_EQ(run({"__complete", "get", "jobs", "--context", ""}).out, "work\nhome\n");
}

TEST(context_file, what_is_printed_is_read_again) {
  context_list all{"x: y",
                   {{"x: y", "nats://h:1", "u", "p\"@:'", {}, {}, "/a b"},
                    {"#z", "nats://i:1", {}, {}, {}, "/c", {}}}};
  const auto read = parse_contexts(print_contexts(all), "f");
  ASSERT_TRUE(read) << read.error().detail;
  EXPECT_EQ(read->current, all.current);
  EXPECT_EQ(read->contexts, all.contexts);
  EXPECT_EQ(without_secret("nats://u:p@h:1,tls://t@i:2,j"),
            "nats://REDACTED@h:1,tls://REDACTED@i:2,j");
}

}  // namespace argosy::ctl
