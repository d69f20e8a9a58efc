// SPDX-License-Identifier: Apache-2.0

/// A coding key for array positions and for keys of dictionaries.
struct DocumentKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = "Index \(intValue)"
        self.intValue = intValue
    }

    /// Creates the key of a dictionary whose keys are integers.
    init(_ number: Int) {
        stringValue = "\(number)"
        intValue = number
    }

    /// The key under which a class codes its superclass by default.
    static let `super` = DocumentKey(stringValue: "super")
}
