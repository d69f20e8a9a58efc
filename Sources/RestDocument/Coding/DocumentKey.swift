// SPDX-License-Identifier: Apache-2.0

/// A step of a coding path that no type has a key for: a position, or a key of a dictionary.
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

    /// The key of a dictionary whose keys are numbers.
    init(_ number: Int) {
        stringValue = "\(number)"
        intValue = number
    }

    /// The key under which a class may keep what its superclass codes.
    static let `super` = DocumentKey(stringValue: "super")
}
