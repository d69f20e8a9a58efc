// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestMapping
import TestSupport
import Testing

@Suite struct AnyValueTransformValuesTests {
    private struct Unhashable {}

    // MARK: URLs

    @Test(.parity("M062", "M063")) func listsConversionsBetweenURLsAndText() {
        #expect(AnyValueTransform.url.canTransform(from: String.self, to: URL.self))
        #expect(AnyValueTransform.url.canTransform(from: URL.self, to: String.self))
        #expect(!AnyValueTransform.url.canTransform(from: Int.self, to: URL.self))
    }

    @Test(.parity("M064", "M065")) func convertsBetweenURLsAndText() throws {
        let url = URL(string: "http://restkit.org")
        #expect(try AnyValueTransform.url.transform("http://restkit.org", as: URL.self) == url)
        #expect(try AnyValueTransform.url.transform(url, as: String.self) == "http://restkit.org")
    }

    @Test(.parity("M066", "M067", "M068")) func rejectsOtherURLConversions() {
        expectFailure(.inputNotAcceptable, of: .url, 12345, to: URL.self)
        expectFailure(.failed, of: .url, invalidText, to: URL.self)
        expectFailure(.outputNotSupported, of: .url, "http://restkit.org", to: Data.self)
    }

    // MARK: Null and identity

    @Test(.parity("M105", "M106", "M107", "M108")) func convertsOnlyNullToNil()
        throws
    {
        #expect(AnyValueTransform.null.canTransform(from: String.self, to: Data.self))
        #expect(AnyValueTransform.null.canTransform(from: Never?.self, to: [Int].self))
        #expect(try AnyValueTransform.null.transform(nil, to: Any.self) == nil)
        #expect(try AnyValueTransform.null.transform(nil, to: Data.self) == nil)
        #expect(try AnyValueTransform.null.transform(nil, to: Decimal.self) == nil)
        expectFailure(.inputNotAcceptable, of: .null, 12345, to: Any.self)
    }

    @Test func identityAcceptsValuesOfType() throws {
        #expect(AnyValueTransform.identity.canTransform(from: [Int].self, to: [Int].self))
        #expect(AnyValueTransform.identity.canTransform(from: Int.self, to: Any.self))
        #expect(!AnyValueTransform.identity.canTransform(from: Int.self, to: Double.self))
        #expect(try AnyValueTransform.identity.transform([1, 2], as: [Int].self) == [1, 2])
        expectFailure(.failed, of: .identity, "text", to: Int.self)
    }

    @Test func convertsValuesToLosslessText() throws {
        let id = UUID()
        #expect(try AnyValueTransform.stringValue.transform(7, as: String.self) == "7")
        #expect(try AnyValueTransform.stringValue.transform(7.0, as: String.self) == "7")
        #expect(try AnyValueTransform.stringValue.transform(id, as: String.self) == id.uuidString)
        #expect(!AnyValueTransform.stringValue.canTransform(from: [Int].self, to: String.self))
        expectFailure(.inputNotAcceptable, of: .stringValue, [1], to: String.self)
        expectFailure(.outputNotSupported, of: .stringValue, 1, to: Data.self)
    }

    // MARK: Key of an object

    @Test(.parity("M147", "M148")) func acceptsHashableValuesAsKeys() {
        #expect(
            AnyValueTransform.keyOfObject.canTransform(
                from: String.self, to: [String: [String: Int]].self))
        #expect(AnyValueTransform.keyOfObject.canTransform(from: Int.self, to: [Int: Any].self))
        #expect(
            !AnyValueTransform.keyOfObject.canTransform(
                from: Unhashable.self, to: [String: Any].self))
    }

    @Test(.parity("M149")) func nestsEmptyObjectUnderKey() throws {
        let typed = try AnyValueTransform.keyOfObject.transform(
            "key", as: [String: [String: Int]].self)
        #expect(typed == ["key": [:]])
        let plain = try AnyValueTransform.keyOfObject.transform("key", as: [String: Any].self)
        #expect(plain?.count == 1)
        #expect((plain?["key"] as? [String: Any])?.isEmpty == true)
    }

    @Test(.parity("M151", "M152")) func rejectsOtherKeyConversions() {
        expectFailure(
            .inputNotAcceptable, of: .keyOfObject, Unhashable(), to: [String: Any].self)
        expectFailure(.outputNotSupported, of: .keyOfObject, "key", to: Int.self)
        expectFailure(.failed, of: .keyOfObject, "key", to: [String: Int].self)
    }
}
