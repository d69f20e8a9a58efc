// SPDX-License-Identifier: Apache-2.0

/// A table of text in aligned columns.
struct TextTable {
    /// The alignment of a column.
    enum Alignment: Sendable {
        case leading
        case trailing
    }

    /// A column's title and alignment.
    struct Column: Sendable {
        let title: String
        var alignment = Alignment.leading
        /// The maximum width, in columns of the terminal.
        var maximumWidth = 44

        static func text(_ title: String) -> Column { Column(title: title) }
        static func number(_ title: String) -> Column {
            Column(title: title, alignment: .trailing)
        }
    }

    private let columns: [Column]
    private var rows: [[String]] = []

    init(_ columns: Column...) { self.columns = columns }

    /// Adds a row; cells are escaped and cut to the width of their column.
    mutating func add(_ cells: String...) {
        rows.append(
            zip(columns, cells).map { column, cell in
                TerminalText.fitted(cell, to: column.maximumWidth)
            })
    }

    /// Returns the lines of the table, titles first, indented by two spaces.
    func lines(on console: Console) -> [String] {
        let titles = columns.map(\.title)
        let widths = columns.indices.map { index in
            ([titles] + rows).map { TerminalText.width(of: $0[index]) }.max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            let padded = zip(columns, zip(cells, widths)).map { column, cell in
                let padding = String(
                    repeating: " ", count: cell.1 - TerminalText.width(of: cell.0))
                return column.alignment == .leading ? cell.0 + padding : padding + cell.0
            }
            var line = "  " + padded.joined(separator: "  ")
            while line.hasSuffix(" ") { line.removeLast() }
            return line
        }
        return [console.styled(line(titles), .bold)] + rows.map(line)
    }
}
