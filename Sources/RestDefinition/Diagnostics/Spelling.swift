// SPDX-License-Identifier: Apache-2.0

/// Suggestions for misspelled names.
enum Spelling {
    /// Words of other tools, and the words of definitions with the same meaning.
    private static let synonyms: [String: [String]] = [
        "params": ["parameters"], "query": ["parameters"], "request_parameters": ["parameters"],
        "param": ["parameter"], "cursor_param": ["parameter"], "page_param": ["parameter"],
        "offset_param": ["parameter"], "start_param": ["parameter"], "since": ["parameter"],
        "end_param": ["end_parameter"], "until": ["end_parameter"],
        "base_url": ["base"], "url_base": ["base"], "url": ["base", "path"],
        "paginator": ["pagination"], "paging": ["pagination"],
        "data_selector": ["records"], "record_selector": ["records"],
        "primary_key": ["identity"], "id": ["identity"], "key_properties": ["identity"],
        "incremental": ["cursor"], "incremental_sync": ["cursor"],
        "replication_key": ["cursor"], "cursor_path": ["field", "cursor"],
        "cursor_field": ["field"], "cursor_param_path": ["cursor"],
        "authentication": ["auth"], "authenticator": ["auth"], "authorization": ["auth"],
        "json": ["body"], "data": ["body"], "request_body": ["body"],
        "response_actions": ["responses"], "error_handler": ["responses"],
        "lag": ["lookback"], "lookback_window": ["lookback"],
        "base_page": ["first"], "start_page": ["first"], "limit": ["size"],
        "page_size": ["size"], "per_page": ["size"], "limit_param": ["size_parameter"],
        "size_param": ["size_parameter"], "total_path": ["total"],
        "has_more_path": ["has_more"], "next_url_path": ["path"], "next": ["path"],
        "include_from_parent": ["include"], "parent": ["for_each"], "parents": ["for_each"],
        "partition_router": ["for_each"], "partitions": ["for_each"], "columns": ["attributes"],
        "fields": ["attributes"], "properties": ["attributes"], "foreign_keys": ["relations"],
        "relationships": ["relations"], "many": ["to_many"], "renamed_from": ["former_names"],
        "rate_limit": ["budget"], "api_budget": ["budget"], "token": ["secret"],
        "api_key": ["secret"], "in": ["location"], "user": ["username"],
        "status_code": ["status"], "http_codes": ["status"], "filter": ["where"],
        "predicate": ["where"], "list": ["values"], "contract": ["schema"],
        "schema_contract": ["schema"],
        // types and values
        "string": ["text"], "str": ["text"], "int": ["integer"], "bigint": ["integer"],
        "number": ["double", "decimal"], "float": ["double"], "bool": ["boolean"],
        "datetime": ["date"], "timestamp": ["date"], "object": ["json"], "array": ["json"],
        "header": ["header_link"], "link_header": ["header_link"], "link": ["json_link"],
        "next_url": ["json_link"], "page": ["page_number"], "single": ["single_page"],
        "auto": ["header_link"], "api_key_auth": ["key"], "http_basic": ["basic"],
        "oauth2_client_credentials": ["client_credentials"], "oauth2": ["client_credentials"],
        "skip": ["ignore"], "unix_seconds": ["unix"], "epoch": ["unix"], "asc": ["ascending"],
        "desc": ["descending"], "jsonl": ["json_lines"], "ndjson": ["json_lines"],
    ]

    /// Returns the names that a misspelled name probably means, the best first; empty for none.
    ///
    /// - Complexity: O(*n* · *m*²) for *n* names of *m* characters.
    static func suggestions(for name: String, among names: [String]) -> [String] {
        let folded = fold(name)
        if let equal = names.first(where: { fold($0) == folded }) { return [equal] }
        if let synonyms = synonyms[snakeCase(name)] {
            let known = synonyms.filter(names.contains)
            if !known.isEmpty { return known }
        }
        let limit = max(1, min(3, folded.count / 3))
        let ranked = names.map { (name: $0, distance: distance(folded, fold($0))) }
            .filter { $0.distance <= limit }
            .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
        guard let best = ranked.first else { return [] }
        return ranked.filter { $0.distance == best.distance }.prefix(2).map(\.name)
    }

    /// Returns an instruction to write one of some names, the probable ones if there are any.
    static func advice(for name: String, among names: [String]) -> String {
        let suggestions = suggestions(for: name, among: names)
        return "write " + alternatives(suggestions.isEmpty ? names : suggestions)
    }

    /// Returns names as an enumeration, such as `a, b or c`.
    static func alternatives(_ names: [String]) -> String {
        let quoted = names.map { "`\($0)`" }
        guard let last = quoted.last, quoted.count > 1 else { return quoted.joined() }
        return quoted.dropLast().joined(separator: ", ") + " or " + last
    }

    private static func fold(_ name: String) -> String {
        String(name.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " })
    }

    private static func snakeCase(_ name: String) -> String {
        var result = ""
        for character in name {
            if character.isUppercase, !result.isEmpty, result.last != "_" { result += "_" }
            result += character == "-" ? "_" : character.lowercased()
        }
        return result
    }

    /// Returns the number of insertions, deletions, replacements and swaps of neighbors between two texts.
    private static func distance(_ left: String, _ right: String) -> Int {
        // Names of files can be of any length, and long ones are not typing errors of short ones.
        let left = Array(left.unicodeScalars.prefix(64))
        let right = Array(right.unicodeScalars.prefix(64))
        if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
        var before: [Int] = []
        var previous = Array(0...right.count)
        for row in 1...left.count {
            var current = [row]
            for column in 1...right.count {
                let isEqual = left[row - 1] == right[column - 1]
                var best = min(
                    previous[column - 1] + (isEqual ? 0 : 1), previous[column] + 1,
                    current[column - 1] + 1)
                if row > 1, column > 1, left[row - 1] == right[column - 2],
                    left[row - 2] == right[column - 1]
                {
                    best = min(best, before[column - 2] + 1)
                }
                current.append(best)
            }
            before = previous
            previous = current
        }
        return previous[right.count]
    }
}
