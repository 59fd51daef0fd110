// SPDX-License-Identifier: Apache-2.0
#include "bins/argosyctl/verbs/top/source_reader.hpp"

#include <CLI/CLI.hpp>

#include "bins/argosyctl/verbs/cli.hpp"
#include "bins/argosyctl/verbs/list_command.hpp"
#include "runtime/base/check.hpp"

namespace argosy::ctl {

namespace {

/// Passes calls on, but gives up a call that waits for the server when `stop` is true.
class stoppable_client final : public client {
 public:
  stoppable_client(std::shared_ptr<client> to, const std::atomic<bool>& stop)
      : to_(std::move(to)), stop_(stop) {}

  result<reply> exchange(std::string_view method, std::string request, repeatable again,
                         const header_list& with) override {
    return to_->exchange_unless([this] { return stop_.load(); }, method, std::move(request), again,
                                with);
  }
  void start_exchange(std::string_view method, std::string request, repeatable again,
                      const header_list& with, full_answer done) override {
    to_->start_exchange(method, std::move(request), again, with, std::move(done));
  }
  result<std::unique_ptr<stream_reader>> open(std::string_view method,
                                              std::string request) override {
    return to_->open(method, std::move(request));
  }
  std::size_t request_size_max() const override { return to_->request_size_max(); }
  std::string server() const override { return to_->server(); }

 private:
  std::shared_ptr<client> to_;
  const std::atomic<bool>& stop_;
};

/// The output is read by this program, however wide the terminal is.
terminal quiet_terminal(const terminal& where) {
  terminal out;
  out.width = where.width;
  return out;
}

}  // namespace

/// A command line of `get` that was parsed, which is asked again and again.
struct source_reader::parsed_list {
  explicit parsed_list(const screen_source& of) : source(of) {
    define_all(app, commands);
    app.parse(std::vector<std::string>(of.words.rbegin(), of.words.rend()));
    const auto* kind = app.get_subcommands().front()->get_subcommands().front();
    list = dynamic_cast<list_command*>(commands.of(kind));
    ARGOSY_CHECK(list != nullptr);
  }

  screen_source source;
  CLI::App app;
  command_set commands;
  list_command* list = nullptr;
};

source_reader::source_reader(const session& of, const std::atomic<bool>& stop)
    : console_(out_, err_, quiet_terminal(of.out.where())), session_{console_,   of.env,    of.in,
                                                                     of.connect, of.now_ns, &stop} {
  session_.timeout = of.timeout;
  session_.connected = std::make_shared<stoppable_client>(of.connected, stop);
}

source_reader::~source_reader() = default;

result<void> source_reader::read_list(const screen_source& source, screen_content& into) {
  if (!parsed_ || parsed_->source != source) parsed_ = std::make_unique<parsed_list>(source);
  auto got = parsed_->list->look(session_, *session_.connected);
  if (!got) return fail(std::move(got.error()));
  into.list = std::move(*got);
  return {};
}

result<void> source_reader::read_text(const screen_source& source, screen_content& into) {
  out_.str({});
  err_.str({});
  if (run_cli(source.words, session_) == exit_code::success) {
    into.text = out_.str();
    return {};
  }
  auto why = err_.str();
  if (why.starts_with("error: ")) why.erase(0, 7);
  return fail(ec::unavailable, why.substr(0, why.find('\n')));
}

screen_content source_reader::read(const screen_source& source) {
  screen_content out;
  auto done =
      source.gives == screen_source::kind::list ? read_list(source, out) : read_text(source, out);
  if (!done) out.trouble = std::move(done.error());
  out.read_ns = session_.now_ns();
  return out;
}

}  // namespace argosy::ctl
