// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RestRows

/// The rows of the table of kinds of attributes agree with the Swift types.
@Suite struct AttributeStorageTests {
    @Test(arguments: AttributeType.Kind.allCases)
    func columnStoresEmptyValues(of kind: AttributeType.Kind) {
        let type = AttributeType(kind: kind)
        #expect(!kind.storage.emptyValues.isEmpty)
        for value in kind.storage.emptyValues {
            #expect(type.accepts(value) && !type.isUnstorable(value))
        }
    }

    @Test(arguments: AttributeType.Kind.allCases)
    func swiftTypeHasKind(_ kind: AttributeType.Kind) {
        guard let type = kind.storage.valueType else {
            #expect(kind == .json)
            return
        }
        let isOptional = type.isOptional
        #expect(type.attributeType == AttributeType(kind: kind))
        #expect(!isOptional)
    }

    /// An element of an array has the JSON form of the kind in both directions.
    @Test(arguments: AttributeType.Kind.allCases)
    func elementsKeepValues(of kind: AttributeType.Kind) throws {
        func check<Value: AttributeValue>(_ type: Value.Type, _ stored: StoredValue) throws {
            let value = try #require(Value(storedValue: stored))
            let elements = try #require([Value](storedValue: [value].storedValue))
            #expect(elements.map(\.storedValue) == [value.storedValue])
        }
        guard let type = kind.storage.valueType else { return }
        for value in kind.storage.emptyValues { try check(type, value) }
    }
}
