// SPDX-License-Identifier: Apache-2.0

package import RestDocument

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A document and its dates, which a writer writes in the format that applies where it writes them.
///
/// Dates whose format a mapping declares are text like any other.
package struct DatedDocument: Sendable {
    /// A date of the document.
    struct DateNode: Sendable {
        /// The position in the text while it is written, then the index of the value or key on the tape.
        var index: Int
        let date: Date
    }

    /// The document, in which dates are ISO 8601 text.
    package let document: Document
    /// The dates, in document order.
    let dates: [DateNode]

    /// Creates a document without dates.
    package init(_ document: Document) {
        self.document = document
        dates = []
    }

    /// Creates a document with the dates that begin at positions of its text.
    init(_ document: Document, datesAt positions: [DateNode]) {
        self.document = document
        var dates = positions[...]
        var found: [DateNode] = []
        document.withView { root in
            var index = 0
            while let next = dates.first, index < document.nodeCount {
                // The offset of text is that of its content, after the quotation mark.
                if root.at(index).tapeNode.offset == next.index + 1 {
                    found.append(DateNode(index: index, date: next.date))
                    dates.removeFirst()
                }
                index += 1
            }
        }
        self.dates = found
    }

    /// Creates a document from that of a value that encodes itself, which has marks in place of dates.
    init(_ document: Document, markedBy marks: DateMarks) {
        self.document = document
        dates = document.withView { root in
            (0..<document.nodeCount).compactMap { index in
                let date = root.at(index).string().flatMap(marks.date)
                return date.map { DateNode(index: index, date: $0) }
            }
        }
    }
}
