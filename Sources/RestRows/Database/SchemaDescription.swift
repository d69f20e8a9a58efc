// SPDX-License-Identifier: Apache-2.0

/// Descriptions of named parts, by which two models or schemas are compared.
struct SchemaDescription: Sendable {
    private struct Fact {
        let owner: String?
        let text: String
    }

    private var facts: [String: Fact] = [:]

    /// The description of a part; `nil` if there is no such part.
    subscript(name: String) -> String? { facts[name]?.text }

    /// Adds a part, which another part may contain.
    mutating func add(_ name: String, of owner: String? = nil, _ text: String) {
        facts[name] = Fact(owner: owner, text: text)
    }

    /// Returns the differences between a file and a model, one line each, sorted.
    ///
    /// The parts of a part that is missing on one side are not listed.
    static func differences(file: SchemaDescription, model: SchemaDescription) -> [String] {
        Set(file.facts.keys).union(model.facts.keys).sorted().compactMap { name in
            switch (file.facts[name], model.facts[name]) {
            case (let found?, let expected?):
                found.text.hasSameBytes(as: expected.text)
                    ? nil : "\(name) is \(found.text) in the file and \(expected.text) in the model"
            case (nil, let expected?):
                file.lacks(expected.owner) ? nil : "\(name) is not in the file"
            case (let found?, nil):
                model.lacks(found.owner) ? nil : "\(name) is not in the model"
            case (nil, nil): nil
            }
        }
    }

    private func lacks(_ owner: String?) -> Bool {
        guard let owner else { return false }
        return facts[owner] == nil
    }
}
