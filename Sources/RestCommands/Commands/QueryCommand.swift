// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import RestKit
import RestMirror

/// `rest query`.
struct QueryCommand: AsyncParsableCommand {
    /// The form of the result.
    enum Format: String, ExpressibleByArgument, CaseIterable {
        case table
        case csv
        case json
    }

    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Prints the result of an SQL query of a mirror.",
        discussion: """
            The query cannot write. JSON is one object for each row, on a line of its own.

            EXIT CODES: 0 for a result, also an empty one, 1 if the query fails, 2 for invalid arguments.

            EXAMPLES:
              rest query github.db 'SELECT name, stargazers_count FROM Repository ORDER BY 2 DESC LIMIT 5'
              rest query github.db 'SELECT * FROM Issue' --format csv > issues.csv
            """)

    @Argument(help: "The SQLite file.")
    var file: String

    @Argument(help: "The query.")
    var sql: String

    @Option(help: "The form of the result: table, csv or json.")
    var format = Format.table

    func run() async throws {
        let console = Console.standard()
        let query = MirrorQuery(sql, of: URL(filePath: file))
        do {
            switch format {
            case .table: try printTable(query, on: console)
            case .csv: try printCSV(query, on: console)
            case .json:
                try query.run { names, values in
                    console.print(JSONWriter.compact.text(of: Self.document(names, values)))
                }
            }
        } catch {
            console.report(TerminalText.escaped("\(error)"))
            throw ExitCode(1)
        }
    }

    private func printTable(_ query: MirrorQuery, on console: Console) throws {
        var rows: [[String]] = []
        let names = try query.run { _, values in
            rows.append(values.map { TerminalText.fitted($0.text, to: 60) })
        }
        let titles = names.map { TerminalText.fitted($0, to: 60) }
        let widths = names.indices.map { column in
            ([titles] + rows).map { TerminalText.width(of: $0[column]) }.max() ?? 0
        }
        for (index, row) in ([titles] + rows).enumerated() {
            var line = ""
            for (cell, width) in zip(row, widths) {
                line +=
                    cell + String(repeating: " ", count: width - TerminalText.width(of: cell))
                    + "  "
            }
            while line.hasSuffix(" ") { line.removeLast() }
            console.print(index == 0 ? console.styled(line, .bold) : line)
        }
    }

    private func printCSV(_ query: MirrorQuery, on console: Console) throws {
        var hasTitles = false
        let names = try query.run { names, values in
            if !hasTitles { console.print(names.map(Self.field).joined(separator: ",")) }
            hasTitles = true
            console.print(
                values.map { Self.field($0.isNull ? "" : $0.text) }.joined(separator: ","))
        }
        if !hasTitles { console.print(names.map(Self.field).joined(separator: ",")) }
    }

    /// Returns a field of RFC 4180.
    private static func field(_ text: String) -> String {
        guard text.contains(where: { ",\"\n\r".contains($0) || $0.isNewline }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }

    private static func document(_ names: [String], _ values: [StoredValue]) -> Document {
        .object(
            zip(names, values).map { name, value in
                switch value {
                case .null: (name, nil)
                case .integer(let value): (name, .number(value))
                case .double(let value): (name, (try? .number(value)) ?? nil)
                case .text(let value): (name, .string(value))
                case .data(let value): (name, .string(value.base64EncodedString()))
                }
            })
    }
}

extension StoredValue {
    /// The value as text for people.
    fileprivate var text: String {
        switch self {
        case .null: "NULL"
        case .integer(let value): String(value)
        case .double(let value): "\(value)"
        case .text(let value): value
        case .data(let value): "\(value.count) bytes"
        }
    }
}
