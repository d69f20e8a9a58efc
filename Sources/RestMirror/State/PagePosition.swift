// SPDX-License-Identifier: Apache-2.0

import RestDocument

/// The position of a page in its list.
enum PagePosition: Sendable, Hashable {
    /// The first page.
    case first
    /// The page at a URL, which has no credentials.
    case url(String)
    /// The page with a number, or after a number of records.
    case number(Int)
    /// The page after a cursor, as JSON text.
    case cursor(String)
    /// The page with parameters that a rule of the program has chosen.
    case parameters([String: String])

    /// The position as text, which the state stores.
    var text: String {
        switch self {
        case .first: ""
        case .url(let url): "url " + url
        case .number(let number): "number \(number)"
        case .cursor(let json): "cursor " + json
        case .parameters(let parameters):
            "parameters "
                + JSONWriter.compact.text(
                    of: .object(
                        parameters.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
        }
    }

    /// Creates a position from its text.
    init?(text: String) {
        if text.isEmpty {
            self = .first
            return
        }
        let parts = text.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "url": self = .url(String(parts[1]))
        case "number":
            guard let number = Int(parts[1]) else { return nil }
            self = .number(number)
        case "cursor": self = .cursor(String(parts[1]))
        case "parameters":
            guard let document = try? Document(parsing: String(parts[1])) else { return nil }
            self = .parameters(
                Dictionary(
                    document.root.members.map { ($0.key, $0.value.string ?? "") },
                    uniquingKeysWith: { first, _ in first }))
        default: return nil
        }
    }
}
