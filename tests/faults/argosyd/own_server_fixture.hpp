// SPDX-License-Identifier: Apache-2.0
// This file declares a fixture with an argosyd (not --dev) and a nats-server of its own, which the
// test may end, and whose files and streams it may take away.
#pragma once

#include <signal.h>

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/bus/nats/nats_bus.hpp"
#include "tests/support/nats/nats_server.hpp"
#include "tests/support/process/deployment_fixture.hpp"

namespace argosy::testing {

class own_server_fixture : public deployment_fixture {
 protected:
  /// The words of a call of argosyd on this server and data directory.
  std::vector<std::string> argosyd(const std::vector<std::string>& more = {}) const {
    const auto config = world.write("argosyd.yaml", "journal:\n  logBytesMax: 64MiB\n" + journal +
                                                        "health:\n  listen: 127.0.0.1:0\n");
    std::vector<std::string> out{"argosyd",
                                 "--config",
                                 config,
                                 "--nats",
                                 server.url(),
                                 "--data-dir",
                                 world.data_dir().string()};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
  /// Calls argosyd and waits for its end.
  outcome run(const std::vector<std::string>& words) const { return world.program(argosyd(words)); }
  child serve() {
    auto out = world.start_program(argosyd({"--ready-file", world.ready_file().string()}),
                                   "argosyd" + std::to_string(++starts));
    EXPECT_TRUE(eventually([&] { return std::filesystem::exists(world.ready_file()); },
                           std::chrono::seconds{20}))
        << log();
    return out;
  }
  std::string log() const {
    return content_of(world.folder() / ("argosyd" + std::to_string(starts) + ".log"));
  }
  void end(child& served) {
    served.signal(SIGKILL);
    EXPECT_NE(served.wait(std::chrono::seconds{10}), 0);
    std::filesystem::remove(world.ready_file());
  }
  outcome ctl(std::vector<std::string> words) const {
    words.insert(words.end(), {"--server", server.url(), "--timeout", "10s"});
    return world.ctl(words);
  }
  void submit(int count) const {
    const std::vector<job_text> all(static_cast<std::size_t>(count), job_text{"true"});
    const auto got = ctl({"submit", world.write("jobs.yaml", deployment::jobs(all))});
    ASSERT_EQ(got.code, 0) << got.err;
  }
  std::size_t jobs() const {
    return lines_of(ctl({"get", "jobs", "--all", "-o", "name"}).out).size();
  }
  void delete_stream(const std::string& name) const {
    const auto connection = bus::connect_nats({.url = server.url()});
    ASSERT_TRUE(connection);
    const auto got = (*connection)
                         ->request_sync("$JS.API.STREAM.DELETE." + name, {}, {},
                                        std::chrono::milliseconds{5'000});
    ASSERT_TRUE(got);
    EXPECT_NE(got->data.find("\"success\":true"), std::string::npos) << got->data;
  }

  nats_server server;
  std::string journal;  ///< Further lines of the section `journal`.
  int starts = 0;
};

}  // namespace argosy::testing
