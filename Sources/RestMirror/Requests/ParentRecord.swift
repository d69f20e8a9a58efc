// SPDX-License-Identifier: Apache-2.0

import RestDefinition
import RestDocument

/// The values of the parents for which a resource is read.
struct ParentRecord: Sendable {
    /// The values by the name of the parent and the path in its record.
    private(set) var values: [String: [DocumentPath: ScalarValue]] = [:]
    /// The digest of everything that is known of the parents; `nil` if it is not needed.
    var digest: [UInt8]?

    /// The record of a resource without parents.
    static let none = ParentRecord()

    subscript(name: String, path: DocumentPath) -> ScalarValue? {
        get { values[name]?[path] }
        set { values[name, default: [:]][path] = newValue }
    }

    /// Returns the record with the values of another parent.
    func adding(_ other: ParentRecord) -> ParentRecord {
        var all = self
        all.values.merge(other.values) { $1 }
        all.digest = digest.map { $0 + (other.digest ?? []) } ?? other.digest
        return all
    }

    /// Returns the values to which templates refer, as one text, which identifies the list of the parents.
    ///
    /// Spaces separate several values, so that spaces in them are escaped.
    func key(_ references: [(parent: String, path: DocumentPath)]) -> String {
        let values = references.map { self[$0.parent, $0.path]?.description ?? "" }
        if values.count == 1 { return values[0] }
        return values.map {
            $0.replacing("\\", with: "\\\\").replacing(" ", with: "\\ ")
        }.joined(separator: " ")
    }
}

extension Template {
    /// The paths in the records of parents to which the template refers.
    var references: [(parent: String, path: DocumentPath)] {
        parts.compactMap { part in
            if case .parent(let name, let path) = part { (name, path) } else { nil }
        }
    }

    /// Returns the text with the values of parents and of an interval.
    ///
    /// - Parameters:
    ///   - parents: The values of parents.
    ///   - interval: The interval of the cursor that a request covers.
    ///   - encode: Encodes a value for its place in the text.
    /// - Returns: The text; `nil` if a value is missing or null.
    func text(
        _ parents: ParentRecord, _ interval: RequestInterval,
        encoding encode: (String) -> String? = { $0 }
    ) -> String? {
        var text = ""
        for part in parts {
            let value: String?
            switch part {
            case .text(let part):
                text += part
                continue
            case .parent(let name, let path):
                let scalar = parents[name, path]
                value = scalar == .null ? nil : scalar?.description
            case .cursorStart: value = interval.start
            case .cursorEnd: value = interval.end
            }
            guard let value, let encoded = encode(value) else { return nil }
            text += encoded
        }
        return text
    }
}

extension TemplateValue {
    /// The templates in the value.
    var templates: [Template] {
        switch self {
        case .null, .boolean, .number: []
        case .text(let template): [template]
        case .array(let elements): elements.flatMap(\.templates)
        case .object(let members): members.flatMap(\.value.templates)
        }
    }
}

/// The part of a list that a request covers, in the form of the API.
struct RequestInterval: Sendable, Equatable {
    /// The start; `nil` for the beginning of the list.
    var start: String?
    /// The end; `nil` for the end of the list.
    var end: String?

    /// The whole list.
    static let everything = RequestInterval()
}
