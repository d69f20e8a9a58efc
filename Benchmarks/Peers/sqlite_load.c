// SPDX-License-Identifier: Apache-2.0
//
// The work of PersistenceBenchmarks in C: yyjson and prepared statements of SQLite, without mapping,
// contexts or a feed of changes. Prints the median processor time of each piece of work.

#define _POSIX_C_SOURCE 200809L

#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "yyjson.h"

enum { passes = 5 };

static int64_t processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void require(int result, int expected, sqlite3 *database, const char *what) {
    if (result == expected) return;
    fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(database));
    exit(1);
}

static void execute(sqlite3 *database, const char *sql) {
    require(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK, database, sql);
}

static sqlite3_stmt *prepare(sqlite3 *database, const char *sql) {
    sqlite3_stmt *statement = NULL;
    require(
        sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL),
        SQLITE_OK, database, sql);
    return statement;
}

static void run(sqlite3 *database, sqlite3_stmt *statement) {
    require(sqlite3_step(statement), SQLITE_DONE, database, "step");
    sqlite3_reset(statement);
}

static const char *const schema =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;"
    "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT,"
    " avatar_url TEXT NOT NULL, verified INTEGER NOT NULL) STRICT;"
    "CREATE TABLE article (id INTEGER PRIMARY KEY, slug TEXT NOT NULL, title TEXT NOT NULL,"
    " body TEXT NOT NULL, published INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT,"
    " price REAL NOT NULL, rating REAL, views INTEGER NOT NULL,"
    " author INTEGER REFERENCES person) STRICT;"
    "CREATE TABLE comment (id INTEGER PRIMARY KEY, body TEXT NOT NULL, likes INTEGER NOT NULL,"
    " created_at TEXT NOT NULL, article INTEGER REFERENCES article,"
    " author INTEGER REFERENCES person) STRICT;"
    "CREATE INDEX article_author ON article (author);"
    "CREATE INDEX comment_article ON comment (article);"
    "CREATE INDEX comment_author ON comment (author);";

static sqlite3 *open_database(const char *path) {
    sqlite3 *database = NULL;
    char side[4096];
    remove(path);
    snprintf(side, sizeof side, "%s-wal", path);
    remove(side);
    snprintf(side, sizeof side, "%s-shm", path);
    remove(side);
    require(sqlite3_open(path, &database), SQLITE_OK, database, path);
    execute(database, schema);
    return database;
}

static void bind_value(sqlite3_stmt *statement, int index, yyjson_val *value) {
    if (yyjson_is_str(value)) {
        sqlite3_bind_text(
            statement, index, yyjson_get_str(value), (int)yyjson_get_len(value), SQLITE_STATIC);
    } else if (yyjson_is_bool(value)) {
        sqlite3_bind_int(statement, index, yyjson_get_bool(value));
    } else if (yyjson_is_int(value)) {
        sqlite3_bind_int64(statement, index, yyjson_get_sint(value));
    } else if (yyjson_is_real(value)) {
        sqlite3_bind_double(statement, index, yyjson_get_real(value));
    } else {
        sqlite3_bind_null(statement, index);
    }
}

static void bind_members(
    sqlite3_stmt *statement, yyjson_val *object, const char *const *names, int count
) {
    for (int index = 0; index < count; index++) {
        bind_value(statement, index + 1, yyjson_obj_get(object, names[index]));
    }
}

struct load {
    sqlite3 *database;
    sqlite3_stmt *person, *article, *comment;
};

static yyjson_val *load_person(struct load *load, yyjson_val *person) {
    static const char *const names[] = {"id", "name", "email", "avatar_url", "verified"};
    bind_members(load->person, person, names, 5);
    run(load->database, load->person);
    return yyjson_obj_get(person, "id");
}

static void load_document(struct load *load, const char *bytes, size_t size) {
    static const char *const article_names[] = {
        "id", "slug", "title", "body", "published", "created_at", "updated_at", "price", "rating",
        "views"};
    static const char *const comment_names[] = {"id", "body", "likes", "created_at"};
    yyjson_doc *document = yyjson_read(bytes, size, 0);
    execute(load->database, "BEGIN IMMEDIATE");
    yyjson_val *article, *comment;
    size_t index, count, inner, inner_count;
    yyjson_val *articles = yyjson_obj_get(yyjson_doc_get_root(document), "data");
    yyjson_arr_foreach(articles, index, count, article) {
        yyjson_val *author = load_person(load, yyjson_obj_get(article, "author"));
        bind_members(load->article, article, article_names, 10);
        bind_value(load->article, 11, author);
        run(load->database, load->article);
        yyjson_val *comments = yyjson_obj_get(article, "comments");
        yyjson_arr_foreach(comments, inner, inner_count, comment) {
            author = load_person(load, yyjson_obj_get(comment, "author"));
            bind_members(load->comment, comment, comment_names, 4);
            bind_value(load->comment, 5, yyjson_obj_get(article, "id"));
            bind_value(load->comment, 6, author);
            run(load->database, load->comment);
        }
    }
    execute(load->database, "COMMIT");
    yyjson_doc_free(document);
}

static char *contents(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) exit(2);
    fseek(file, 0, SEEK_END);
    long end = ftell(file);
    rewind(file);
    char *bytes = malloc((size_t)end + 1);
    *size = fread(bytes, 1, (size_t)end, file);
    fclose(file);
    return bytes;
}

static int ascending(const void *left, const void *right) {
    int64_t difference = *(const int64_t *)left - *(const int64_t *)right;
    return (difference > 0) - (difference < 0);
}

static void print_median(const char *name, int64_t *times) {
    qsort(times, passes, sizeof *times, ascending);
    printf("%s\t%lld\n", name, (long long)times[passes / 2]);
}

static void measure_loads(const char *path, const char *first, const char *changed) {
    size_t size = 0, changed_size = 0;
    char *bytes = contents(first, &size), *others = contents(changed, &changed_size);
    int64_t times[3][passes];
    for (int pass = 0; pass < passes; pass++) {
        sqlite3 *database = open_database(path);
        struct load load = {
            database,
            prepare(database,
                "INSERT INTO person VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
                " name = excluded.name, email = excluded.email, avatar_url = excluded.avatar_url,"
                " verified = excluded.verified WHERE name IS NOT excluded.name"
                " OR email IS NOT excluded.email OR avatar_url IS NOT excluded.avatar_url"
                " OR verified IS NOT excluded.verified"),
            prepare(database,
                "INSERT INTO article VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (id) DO UPDATE SET slug = excluded.slug, title = excluded.title,"
                " body = excluded.body, published = excluded.published,"
                " created_at = excluded.created_at, updated_at = excluded.updated_at,"
                " price = excluded.price, rating = excluded.rating, views = excluded.views,"
                " author = excluded.author WHERE slug IS NOT excluded.slug"
                " OR title IS NOT excluded.title OR body IS NOT excluded.body"
                " OR published IS NOT excluded.published OR created_at IS NOT excluded.created_at"
                " OR updated_at IS NOT excluded.updated_at OR price IS NOT excluded.price"
                " OR rating IS NOT excluded.rating OR views IS NOT excluded.views"
                " OR author IS NOT excluded.author"),
            prepare(database,
                "INSERT INTO comment VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
                " body = excluded.body, likes = excluded.likes, created_at = excluded.created_at,"
                " article = excluded.article, author = excluded.author"
                " WHERE body IS NOT excluded.body OR likes IS NOT excluded.likes"
                " OR created_at IS NOT excluded.created_at OR article IS NOT excluded.article"
                " OR author IS NOT excluded.author"),
        };
        for (int turn = 0; turn < 3; turn++) {
            int64_t start = processor_time();
            if (turn < 2) {
                load_document(&load, bytes, size);
            } else {
                load_document(&load, others, changed_size);
            }
            times[turn][pass] = processor_time() - start;
        }
        sqlite3_finalize(load.person);
        sqlite3_finalize(load.article);
        sqlite3_finalize(load.comment);
        sqlite3_close(database);
    }
    print_median("first load", times[0]);
    print_median("unchanged load", times[1]);
    print_median("changed load", times[2]);
    free(bytes);
    free(others);
}

static void insert_people(sqlite3 *database, int count) {
    sqlite3_stmt *insert = prepare(database, "INSERT INTO contact VALUES (?, ?, ?, ?, ?, ?)");
    char name[64], email[64], avatar[64];
    execute(database, "BEGIN IMMEDIATE");
    for (int id = 1; id <= count; id++) {
        int name_size = snprintf(name, sizeof name, "Ann %d", id);
        int email_size = snprintf(email, sizeof email, "user%d@example.org", id);
        int avatar_size = snprintf(avatar, sizeof avatar, "https://img.example.org/%d.png", id);
        sqlite3_bind_int64(insert, 1, id);
        sqlite3_bind_int64(insert, 2, id);
        sqlite3_bind_text(insert, 3, name, name_size, SQLITE_STATIC);
        sqlite3_bind_text(insert, 4, email, email_size, SQLITE_STATIC);
        sqlite3_bind_text(insert, 5, avatar, avatar_size, SQLITE_STATIC);
        sqlite3_bind_int(insert, 6, id % 3 == 0);
        run(database, insert);
    }
    execute(database, "COMMIT");
    sqlite3_finalize(insert);
}

static void measure_inserts(const char *path, int count) {
    int64_t inserting[passes], reading[passes];
    char name[64];
    for (int pass = 0; pass < passes; pass++) {
        sqlite3 *database = open_database(path);
        execute(database,
            "CREATE TABLE contact (restkit_key INTEGER PRIMARY KEY, id INTEGER NOT NULL UNIQUE,"
            " name TEXT NOT NULL, email TEXT, avatar_url TEXT NOT NULL,"
            " verified INTEGER NOT NULL) STRICT");
        int64_t start = processor_time();
        insert_people(database, count);
        inserting[pass] = processor_time() - start;
        sqlite3_stmt *fetch = prepare(database, "SELECT * FROM contact");
        start = processor_time();
        size_t total = 0;
        while (sqlite3_step(fetch) == SQLITE_ROW) {
            for (int column = 0; column < 6; column++) {
                if (sqlite3_column_type(fetch, column) == SQLITE_TEXT) {
                    total += strlen((const char *)sqlite3_column_text(fetch, column));
                } else {
                    total += (size_t)sqlite3_column_int64(fetch, column);
                }
            }
        }
        reading[pass] = processor_time() - start;
        if (total == 0) exit(3);
        sqlite3_finalize(fetch);
        sqlite3_close(database);
    }
    snprintf(name, sizeof name, "insert %dk", count / 1000);
    print_median(name, inserting);
    snprintf(name, sizeof name, "fetch %dk", count / 1000);
    print_median(name, reading);
}

int main(int count, char **arguments) {
    if (count != 4) return 2;
    measure_loads(arguments[1], arguments[2], arguments[3]);
    measure_inserts(arguments[1], 10000);
    measure_inserts(arguments[1], 100000);
    return 0;
}
