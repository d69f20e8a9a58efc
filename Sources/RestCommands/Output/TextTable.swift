// SPDX-License-Identifier: Apache-2.0

/// A table of text in aligned columns.
package struct TextTable {
    /// The alignment of a column.
    package enum Alignment: Sendable {
        case leading
        case trailing
    }

    /// A column's title and alignment.
    package struct Column: Sendable {
        package let title: String
        package var alignment: Alignment
        /// The maximum width, in columns of the terminal.
        package var maximumWidth: Int

        /// Creates a column.
        package init(title: String, alignment: Alignment = .leading, maximumWidth: Int = 44) {
            self.title = title
            self.alignment = alignment
            self.maximumWidth = maximumWidth
        }

        package static func text(_ title: String) -> Column { Column(title: title) }
        package static func number(_ title: String) -> Column {
            Column(title: title, alignment: .trailing)
        }
    }

    private let columns: [Column]
    private var rows: [[String]] = []

    package init(_ columns: Column...) { self.columns = columns }

    /// Adds a row; cells are escaped and cut to the width of their column.
    package mutating func add(_ cells: String...) {
        rows.append(
            zip(columns, cells).map { column, cell in
                TerminalText.fitted(cell, to: column.maximumWidth)
            })
    }

    /// Returns the lines of the table, titles first, indented by two spaces.
    package func lines(on console: Console) -> [String] {
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
