// SPDX-License-Identifier: Apache-2.0

/// Rows of text in aligned columns.
struct TextTable {
    /// Where a column's text stands.
    enum Alignment: Sendable {
        case leading
        case trailing
    }

    /// A column's title and alignment.
    struct Column: Sendable {
        let title: String
        var alignment = Alignment.leading
        /// Most columns of the terminal it takes.
        var maximumWidth = 44

        static func text(_ title: String) -> Column { Column(title: title) }
        static func number(_ title: String) -> Column {
            Column(title: title, alignment: .trailing)
        }
    }

    private let columns: [Column]
    private var rows: [[String]] = []

    init(_ columns: Column...) { self.columns = columns }

    /// Adds a row; its cells are escaped and cut to their column's width.
    mutating func add(_ cells: String...) {
        rows.append(
            zip(columns, cells).map { column, cell in
                TerminalText.fitted(cell, to: column.maximumWidth)
            })
    }

    /// The table as lines, title first, indented by two blanks.
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
