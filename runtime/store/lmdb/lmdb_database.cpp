// SPDX-License-Identifier: Apache-2.0
#include "runtime/store/lmdb/lmdb_database.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "runtime/base/check.hpp"
#include "runtime/store/lmdb/environment.hpp"

namespace argosy::store {

namespace {

using environment_ptr = std::shared_ptr<environment>;

MDB_val to_val(std::string_view bytes) {
  // LMDB does not write through this pointer; only the const is missing in its interface.
  return {bytes.size(), const_cast<char*>(bytes.data())};
}

std::string_view to_view(const MDB_val& value) {
  return {static_cast<const char*>(value.mv_data), value.mv_size};
}

std::string reading(table in) {
  return "reading the table '" + std::string{to_string(in)} + "'";
}

std::string writing(table in) {
  return "writing the table '" + std::string{to_string(in)} + "'";
}

bool good_key(std::string_view key) {
  return !key.empty() && key.size() <= max_key_bytes;
}

result<void> check_key(std::string_view key) {
  if (good_key(key)) return {};
  return fail(ec::invalid_argument, "a key must have 1 to " + std::to_string(max_key_bytes) +
                                        " bytes, this one has " + std::to_string(key.size()));
}

class lmdb_cursor final : public cursor {
 public:
  lmdb_cursor(environment_ptr env, table in, MDB_cursor* raw)
      : env_(std::move(env)), in_(in), raw_(raw) {}
  ~lmdb_cursor() override {
    if (raw_ != nullptr) mdb_cursor_close(raw_);
  }

  result<std::optional<entry>> first() override { return move(MDB_FIRST, place::after); }
  result<std::optional<entry>> last() override { return move(MDB_LAST, place::before); }
  result<std::optional<entry>> seek(std::string_view from) override {
    if (from.empty()) return first();
    return move(MDB_SET_RANGE, place::after, from);
  }
  result<std::optional<entry>> next() override {
    if (place_ == place::after) return std::optional<entry>{};
    return place_ == place::on ? move(MDB_NEXT, place::after) : first();
  }
  result<std::optional<entry>> previous() override {
    if (place_ == place::before) return std::optional<entry>{};
    return place_ == place::on ? move(MDB_PREV, place::before) : last();
  }

 private:
  enum class place : std::uint8_t { fresh, before, on, after };

  result<std::optional<entry>> move(MDB_cursor_op how, place when_none,
                                    std::string_view from = {}) {
    MDB_val key = to_val(from);
    MDB_val value{};
    const int code = raw_ == nullptr ? MDB_NOTFOUND : mdb_cursor_get(raw_, &key, &value, how);
    if (code == MDB_NOTFOUND) {
      place_ = when_none;
      return std::optional<entry>{};
    }
    if (code != 0) return fail(env_->explain(code, reading(in_)));
    place_ = place::on;
    return std::optional<entry>{entry{to_view(key), to_view(value)}};
  }

  const environment_ptr env_;
  const table in_;
  MDB_cursor* const raw_;  ///< Null for a table that is not there.
  place place_ = place::fresh;
};

/// The reading that both kinds of transaction have.
class raw_txn {
 public:
  raw_txn(environment_ptr env, MDB_txn* raw) : env_(std::move(env)), raw_(raw) {}
  ~raw_txn() {
    if (raw_ != nullptr) mdb_txn_abort(raw_);
  }
  raw_txn(const raw_txn&) = delete;
  raw_txn& operator=(const raw_txn&) = delete;

  result<std::optional<std::string_view>> get(table in, std::string_view key) {
    ARGOSY_CHECK(raw_ != nullptr);
    if (!good_key(key) || !env_->has_table(in)) return std::optional<std::string_view>{};
    MDB_val wanted = to_val(key);
    MDB_val value{};
    const int code = mdb_get(raw_, env_->table_handle(in), &wanted, &value);
    if (code == MDB_NOTFOUND) return std::optional<std::string_view>{};
    if (code != 0) return fail(env_->explain(code, reading(in)));
    return std::optional<std::string_view>{to_view(value)};
  }

  result<std::unique_ptr<cursor>> open_cursor(table in) {
    ARGOSY_CHECK(raw_ != nullptr);
    MDB_cursor* opened = nullptr;
    if (!env_->has_table(in))
      return std::unique_ptr<cursor>{std::make_unique<lmdb_cursor>(env_, in, opened)};
    if (const int code = mdb_cursor_open(raw_, env_->table_handle(in), &opened); code != 0)
      return fail(env_->explain(code, reading(in)));
    return std::unique_ptr<cursor>{std::make_unique<lmdb_cursor>(env_, in, opened)};
  }

  result<std::uint64_t> count(table in) {
    ARGOSY_CHECK(raw_ != nullptr);
    if (!env_->has_table(in)) return std::uint64_t{0};
    MDB_stat found{};
    if (const int code = mdb_stat(raw_, env_->table_handle(in), &found); code != 0)
      return fail(env_->explain(code, reading(in)));
    return std::uint64_t{found.ms_entries};
  }

  [[nodiscard]] environment& env() const { return *env_; }
  [[nodiscard]] MDB_txn* get() const {
    ARGOSY_CHECK(raw_ != nullptr);
    return raw_;
  }
  [[nodiscard]] MDB_txn* release() {
    ARGOSY_CHECK(raw_ != nullptr);
    return std::exchange(raw_, nullptr);
  }

 private:
  environment_ptr env_;
  MDB_txn* raw_;
};

class lmdb_read final : public read_txn {
 public:
  lmdb_read(environment_ptr env, MDB_txn* raw) : txn_(std::move(env), raw) {}
  result<std::optional<std::string_view>> get(table in, std::string_view key) override {
    return txn_.get(in, key);
  }
  result<std::unique_ptr<cursor>> open_cursor(table in) override { return txn_.open_cursor(in); }
  result<std::uint64_t> count(table in) override { return txn_.count(in); }

 private:
  raw_txn txn_;
};

class lmdb_write final : public write_txn {
 public:
  lmdb_write(environment_ptr env, MDB_txn* raw) : txn_(std::move(env), raw) {}
  result<std::optional<std::string_view>> get(table in, std::string_view key) override {
    return txn_.get(in, key);
  }
  result<std::unique_ptr<cursor>> open_cursor(table in) override { return txn_.open_cursor(in); }
  result<std::uint64_t> count(table in) override { return txn_.count(in); }

  result<void> put(table in, std::string_view key, std::string_view value) override {
    return write(in, key, value, 0);
  }
  result<void> append(table in, std::string_view key, std::string_view value) override {
    return write(in, key, value, MDB_APPEND);
  }

  result<bool> erase(table in, std::string_view key) override {
    if (auto ok = check_key(key); !ok) return fail(std::move(ok.error()));
    MDB_val doomed = to_val(key);
    const int code = mdb_del(txn_.get(), txn_.env().table_handle(in), &doomed, nullptr);
    if (code == MDB_NOTFOUND) return false;
    if (code == 0) return true;
    return fail(remember(txn_.env().explain(code, writing(in))));
  }

  result<void> commit() override {
    auto* const raw = txn_.release();
    if (failed_) {
      mdb_txn_abort(raw);
      return fail(std::move(*failed_));
    }
    if (const int code = mdb_txn_commit(raw); code != 0)
      return fail(txn_.env().explain(code, "the commit"));
    return {};
  }

 private:
  result<void> write(table in, std::string_view key, std::string_view value, unsigned flags) {
    if (auto ok = check_key(key); !ok) return ok;
    MDB_val where = to_val(key);
    MDB_val what = to_val(value);
    const int code = mdb_put(txn_.get(), txn_.env().table_handle(in), &where, &what, flags);
    if (code == 0) return {};
    if (code == MDB_KEYEXIST)
      return fail(ec::conflict, "append to table '" + std::string{to_string(in)} +
                                    "': the key is not behind the last one");
    return fail(remember(txn_.env().explain(code, writing(in))));
  }

  /// Notes the first failure of a transaction, after which LMDB refuses it; commit() returns that
  /// failure.
  error remember(error err) {
    if (!failed_) failed_ = err;
    return err;
  }

  raw_txn txn_;
  std::optional<error> failed_;
};

class lmdb_database final : public database {
 public:
  explicit lmdb_database(environment_ptr env) : env_(std::move(env)) {}

  result<std::unique_ptr<read_txn>> begin_read() override {
    MDB_txn* raw = nullptr;
    int code = mdb_txn_begin(env_->get(), nullptr, MDB_RDONLY, &raw);
    if (code == MDB_READERS_FULL) {
      // Some of them may belong to processes that were killed.
      mdb_reader_check(env_->get(), nullptr);
      code = mdb_txn_begin(env_->get(), nullptr, MDB_RDONLY, &raw);
    }
    if (code != 0) return fail(env_->explain(code, "a read transaction"));
    return std::unique_ptr<read_txn>{std::make_unique<lmdb_read>(env_, raw)};
  }

  result<std::unique_ptr<write_txn>> begin_write() override {
    env_->upkeep();
    MDB_txn* raw = nullptr;
    if (const int code = mdb_txn_begin(env_->get(), nullptr, 0, &raw); code != 0)
      return fail(env_->explain(code, "a write transaction"));
    return std::unique_ptr<write_txn>{std::make_unique<lmdb_write>(env_, raw)};
  }

  result<database_usage> usage() override {
    const auto used = env_->used_bytes();
    if (!used) return fail(used.error());
    const auto held = env_->held_bytes();
    if (!held) return fail(held.error());
    MDB_envinfo info{};
    mdb_env_info(env_->get(), &info);
    MDB_stat pages{};
    mdb_env_stat(env_->get(), &pages);
    database_usage out{*used, info.me_mapsize, (info.me_last_pgno + 1) * pages.ms_psize, *held};
    // Also where an earlier process had it kept.
    int fd = -1;
    struct stat file {};
    if (mdb_env_get_fd(env_->get(), &fd) == 0 && ::fstat(fd, &file) == 0) {
      constexpr std::uint64_t block = 512;
      const auto kept = static_cast<std::uint64_t>(file.st_blocks) * block;
      out.reserved_bytes = kept - std::min(kept, out.file_bytes);
    }
    std::error_code unknown;
    const auto disk = std::filesystem::space(env_->folder(), unknown);
    if (unknown) return out;
    out.disk_free_bytes = disk.available;
    out.disk_bytes = disk.capacity;
    return out;
  }

  result<std::vector<reader>> readers() override { return env_->readers(); }

  result<void> backup(const std::string& folder) override {
    if (::mkdir(folder.c_str(), 0700) != 0)
      return fail(errno == EEXIST ? ec::already_exists : ec::internal,
                  "cannot create the folder '" + folder +
                      "' for a copy: " + std::system_category().message(errno));
    const int code = mdb_env_copy2(env_->get(), folder.c_str(), MDB_CP_COMPACT);
    if (code == ENOSPC || code == EDQUOT)
      return fail(ec::out_of_space, "there is no room for a copy of the database in '" + folder +
                                        "'; make room on that disk");
    if (code != 0) return fail(env_->explain(code, "a copy into '" + folder + "'"));
    return {};
  }

 private:
  environment_ptr env_;
};

}  // namespace

result<std::unique_ptr<database>> open_lmdb(const lmdb_options& options) {
  auto env = environment::open(options);
  if (!env) return fail(std::move(env.error()));
  return std::unique_ptr<database>{std::make_unique<lmdb_database>(std::move(*env))};
}

}  // namespace argosy::store
