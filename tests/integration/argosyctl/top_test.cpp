// SPDX-License-Identifier: Apache-2.0
// Goal: `top` takes a real terminal, obeys its keys and gives it back as it was. Method: argosyctl
// as a process on a pseudo-terminal, whose other end the test types into and reads.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>

#include "tests/integration/argosyctl/argosyctl_fixture.hpp"

namespace argosy::testing {

namespace {

using namespace std::chrono_literals;

class pseudo_terminal {
 public:
  pseudo_terminal() : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)) {
    if (!is_there()) return;
    EXPECT_EQ(::grantpt(master_), 0);
    EXPECT_EQ(::unlockpt(master_), 0);
    path_ = ::ptsname(master_);
    // Without a second open end, the first program that ends would hang the terminal up.
    slave_ = ::open(path_.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
    const winsize size{.ws_row = 20, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
    EXPECT_EQ(::ioctl(slave_, TIOCSWINSZ, &size), 0);
  }
  ~pseudo_terminal() {
    ::close(slave_);
    ::close(master_);
  }
  pseudo_terminal(const pseudo_terminal&) = delete;
  pseudo_terminal& operator=(const pseudo_terminal&) = delete;

  /// A chroot may have no /dev/pts.
  [[nodiscard]] bool is_there() const noexcept { return master_ >= 0; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  void type(std::string_view keys) {
    EXPECT_EQ(::write(master_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
  }
  /// Waits until the program has written this text since the last call that found one. Text that
  /// stays on the screen is not written again.
  [[nodiscard]] bool shows(std::string_view text) {
    return eventually([&] {
      std::array<char, 4'096> piece{};
      for (ssize_t got = 0; (got = ::read(master_, piece.data(), piece.size())) > 0;)
        written_.append(piece.data(), static_cast<std::size_t>(got));
      const auto at = written_.find(text);
      if (at == std::string::npos) return false;
      written_.erase(0, at + text.size());
      return true;
    });
  }
  [[nodiscard]] bool echoes() const {
    termios now{};
    return ::tcgetattr(slave_, &now) == 0 && (now.c_lflag & ECHO) != 0;
  }
  [[nodiscard]] const std::string& written() const noexcept { return written_; }

 private:
  int master_;
  int slave_ = -1;
  std::string path_;
  std::string written_;
};

constexpr std::string_view screen_given_back = "\x1b[?1049l";

TEST_F(argosyctl, goes_into_a_queue_and_a_job_on_the_whole_terminal) {
  create_queue();
  const auto id = submit({"sleep 100"}).front().substr(std::string_view{"job/"}.size());
  pseudo_terminal terminal;
  if (!terminal.is_there()) GTEST_SKIP() << "there are no pseudo-terminals here";
  auto top = world.start_ctl_on(terminal.path(), {"top"});
  ASSERT_TRUE(terminal.shows("get queues: 1 rows")) << terminal.written();
  EXPECT_FALSE(terminal.echoes());
  terminal.type("\r");
  ASSERT_TRUE(terminal.shows("--queue=a --active")) << terminal.written();
  ASSERT_TRUE(terminal.shows(id)) << terminal.written();
  terminal.type("\r");
  ASSERT_TRUE(terminal.shows("explain " + id)) << terminal.written();
  ASSERT_TRUE(terminal.shows("queue a")) << terminal.written();
  terminal.type("3");
  ASSERT_TRUE(terminal.shows("LONGEST")) << terminal.written();
  terminal.type("q");
  EXPECT_EQ(top.wait(10s), 0);
  EXPECT_TRUE(terminal.shows(screen_given_back)) << terminal.written();
  EXPECT_TRUE(terminal.echoes());
}

TEST_F(argosyctl, gives_the_terminal_back_when_it_is_interrupted) {
  pseudo_terminal terminal;
  if (!terminal.is_there()) GTEST_SKIP() << "there are no pseudo-terminals here";
  auto top = world.start_ctl_on(terminal.path(), {"top", "nodes", "-o", "wide"});
  ASSERT_TRUE(terminal.shows("get nodes: 1 rows")) << terminal.written();
  ASSERT_TRUE(terminal.shows("OTHER")) << terminal.written();
  top.signal(SIGINT);
  EXPECT_EQ(top.wait(10s), 130);
  EXPECT_TRUE(terminal.shows(screen_given_back)) << terminal.written();
  EXPECT_TRUE(terminal.echoes());
}

TEST_F(argosyctl, is_left_at_once_while_the_server_is_away) {
  pseudo_terminal terminal;
  if (!terminal.is_there()) GTEST_SKIP() << "there are no pseudo-terminals here";
  auto top = world.start_ctl_on(terminal.path(), {"top", "clusters", "--timeout", "60s"});
  ASSERT_TRUE(terminal.shows("get clusters: 1 rows")) << terminal.written();
  world.server.kill();
  terminal.type("2");
  ASSERT_TRUE(terminal.shows("nodes: reading")) << terminal.written();
  terminal.type("q");
  EXPECT_EQ(top.wait(5s), 0) << "leaving does not wait for the server";
}

}  // namespace

}  // namespace argosy::testing
