// SPDX-License-Identifier: Apache-2.0
// Goal: argosyd says in time what its machine lacks, room on the disk and certificates, goes on
// meanwhile, and a support bundle can be taken of one that is dead. Method: the programs, on a
// small file system of their own, with an authority of the test, and killed.
#include <gmock/gmock.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>

#include <filesystem>
#include <fstream>

#include "tests/support/nats/authority.hpp"
#include "tests/support/process/deployment_fixture.hpp"

namespace argosy::testing {

namespace {

using ::testing::HasSubstr;

class surroundings : public deployment_fixture {};

/// A small file system for the data directory, which this process and those that it starts see.
class small_disk {
 public:
  explicit small_disk(const std::filesystem::path& where) : where_(where) {
    std::filesystem::create_directories(where);
    mounted_ = ::unshare(CLONE_NEWNS) == 0 &&
               ::mount("none", "/", "", MS_REC | MS_PRIVATE, "") == 0 &&
               ::mount("none", where.c_str(), "tmpfs", 0, "mode=0700,size=200m") == 0;
  }
  ~small_disk() {
    if (mounted_) ::umount2(where_.c_str(), MNT_DETACH);
  }
  small_disk(const small_disk&) = delete;
  small_disk& operator=(const small_disk&) = delete;

  [[nodiscard]] bool mounted() const { return mounted_; }
  /// Writes a file of others until so many bytes are left.
  void fill(std::uintmax_t left) const {
    std::ofstream out{others(), std::ios::binary | std::ios::app};
    constexpr std::size_t page = 4'096;
    while (std::filesystem::space(where_).available >= left + page &&
           out.write(std::string(page, 'x').data(), page).flush()) {
    }
  }
  void make_room() const { std::filesystem::remove(others()); }

 private:
  [[nodiscard]] std::filesystem::path others() const { return where_ / "others"; }

  std::filesystem::path where_;
  bool mounted_ = false;
};

TEST_F(surroundings, a_nearly_full_disk_refuses_what_is_new_until_there_is_room) {
  const small_disk disk{world.data_dir()};
  if (!disk.mounted()) GTEST_SKIP() << "no small file system can be mounted here";
  // The log has a disk of its own, as OPERATIONS asks for.
  const nats_server server;
  const std::vector<std::string> flags{"--nats", server.url()};
  start_with_queue(flags);
  const auto jobs = world.write("jobs.yaml", deployment::jobs({{"true"}}));
  const auto waiting = world.submit({{"true", "nodeSelector: {no: where}"}});
  ASSERT_EQ(waiting.size(), 1u);
  disk.fill(20u << 20);
  const auto is_refused = [&] {
    const auto done = world.ctl({"submit", jobs});
    return done.code != 0 &&
           done.err.find("the disk of argosyd's data directory") != std::string::npos;
  };
  EXPECT_TRUE(eventually(is_refused)) << world.ctl({"submit", jobs}).err;
  const auto is_told = [&] {
    return world.ctl({"status"}).out.find("so that nothing new is accepted") != std::string::npos;
  };
  EXPECT_TRUE(eventually(is_told)) << world.ctl({"status"}).out;
  // Now nothing at all is free, and argosyd is started again.
  disk.fill(0);
  world.server.kill();
  start(flags);
  EXPECT_TRUE(has_state(waiting[0], "QUEUED"));
  EXPECT_TRUE(eventually(is_refused));
  const auto cancelled = world.ctl({"cancel", waiting[0]});
  EXPECT_EQ(cancelled.code, 0) << cancelled.err << " though the disk keeps room for the store";
  disk.make_room();
  EXPECT_TRUE(eventually([&] { return world.ctl({"submit", jobs}).code == 0; })) << world.log();
}

TEST_F(surroundings, status_and_log_say_that_a_certificate_ends) {
  const authority own{"IP:127.0.0.1"};
  const nats_server server{own.server()};
  const auto config =
      world.write("argosyd.yaml", "nats:\n  caFile: " + own.ca_file() +
                                      "\njournal:\n  logBytesMax: 64MiB\nhealth:\n  listen: "
                                      "127.0.0.1:0\n");
  const auto served =
      world.start_program({"argosyd", "--config", config, "--nats", tls_url(server), "--data-dir",
                           world.data_dir().string(), "--ready-file", world.ready_file().string()},
                          "argosyd");
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world.ready_file()); }))
      << world.log();
  const auto told = [&] {
    return world.log().find("the certificate of the NATS server (127.0.0.1:") != std::string::npos;
  };
  EXPECT_TRUE(eventually(told)) << world.log();
  const auto status = world.program({"/usr/bin/env", "SSL_CERT_FILE=" + own.ca_file(),
                                     std::string{ARGOSY_BIN_DIR} + "/argosyctl", "status",
                                     "--server", tls_url(server)});
  EXPECT_THAT(status.out, HasSubstr("the certificate of the NATS server (127.0.0.1:"));
  EXPECT_THAT(status.out, HasSubstr(" ends in "));
}

TEST_F(surroundings, a_bundle_of_a_dead_argosyd_has_what_it_left) {
  start();
  const auto whole = world.ctl({"support-bundle", (world.folder() / "whole.tar.gz").string(),
                                "--data-dir", world.data_dir().string()});
  EXPECT_EQ(whole.code, 0) << whole.err;
  world.server.kill();
  const auto file = (world.folder() / "dead.tar.gz").string();
  const auto done = world.ctl(
      {"support-bundle", file, "--data-dir", world.data_dir().string(), "--timeout", "2s"});
  EXPECT_EQ(done.code, 5) << done.out << done.err;
  launch list;
  list.words = {"/bin/tar", "tzf", file};
  list.environment = {"PATH=/usr/bin:/bin"};
  const auto names = run(list, world.folder(), std::chrono::seconds{20}).out;
  for (const auto* name : {"/data-dir/flight.ring", "/data-dir/starts", "/data-dir/files.txt",
                           "/machine.txt", "/missing.txt"})
    EXPECT_THAT(names, HasSubstr(name));
  EXPECT_EQ(names.find("log.key"), std::string::npos);
}

}  // namespace

}  // namespace argosy::testing
