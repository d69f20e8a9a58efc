// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestMapping
import TestSupport
import Testing

@Suite struct PlainTransformerTests {
    private struct Unhashable {}

    // MARK: URLs

    @Test(.parity("M062", "M063")) func urlsAndTextBecomeEachOther() {
        #expect(Transformer.url.canTransform(from: String.self, to: URL.self))
        #expect(Transformer.url.canTransform(from: URL.self, to: String.self))
        #expect(!Transformer.url.canTransform(from: Int.self, to: URL.self))
    }

    @Test(.parity("M064", "M065")) func urlsAreTextAndBack() throws {
        let url = URL(string: "http://restkit.org")
        #expect(try Transformer.url.transform("http://restkit.org", as: URL.self) == url)
        #expect(try Transformer.url.transform(url, as: String.self) == "http://restkit.org")
    }

    @Test(.parity("M066", "M067", "M068")) func urlsRefuseTheRest() {
        expectFailure(.inputNotAcceptable, of: Transformer.url, 12345, to: URL.self)
        expectFailure(.failed, of: Transformer.url, nonsense, to: URL.self)
        expectFailure(.outputNotSupported, of: Transformer.url, "http://restkit.org", to: Data.self)
    }

    // MARK: Null and identity

    @Test(.parity("M105", "M106", "M107", "M108")) func nullIsNilForEveryTypeAndNothingElseIs()
        throws
    {
        #expect(Transformer.null.canTransform(from: String.self, to: Data.self))
        #expect(Transformer.null.canTransform(from: Never?.self, to: [Int].self))
        #expect(try Transformer.null.transform(nil, to: Any.self) == nil)
        #expect(try Transformer.null.transform(nil, to: Data.self) == nil)
        #expect(try Transformer.null.transform(nil, to: Decimal.self) == nil)
        expectFailure(.inputNotAcceptable, of: Transformer.null, 12345, to: Any.self)
    }

    @Test func identityLetsThroughWhatIsOfTheType() throws {
        #expect(Transformer.identity.canTransform(from: [Int].self, to: [Int].self))
        #expect(Transformer.identity.canTransform(from: Int.self, to: Any.self))
        #expect(!Transformer.identity.canTransform(from: Int.self, to: Double.self))
        #expect(try Transformer.identity.transform([1, 2], as: [Int].self) == [1, 2])
        expectFailure(.failed, of: Transformer.identity, "text", to: Int.self)
    }

    @Test func valuesWithALosslessTextBecomeIt() throws {
        let id = UUID()
        #expect(try Transformer.stringValue.transform(7, as: String.self) == "7")
        #expect(try Transformer.stringValue.transform(7.0, as: String.self) == "7")
        #expect(try Transformer.stringValue.transform(id, as: String.self) == id.uuidString)
        #expect(!Transformer.stringValue.canTransform(from: [Int].self, to: String.self))
        expectFailure(.inputNotAcceptable, of: Transformer.stringValue, [1], to: String.self)
        expectFailure(.outputNotSupported, of: Transformer.stringValue, 1, to: Data.self)
    }

    // MARK: Key of an object

    @Test(.parity("M147", "M148")) func hashableValuesCanBeKeys() {
        #expect(
            Transformer.keyOfObject.canTransform(
                from: String.self, to: [String: [String: Int]].self))
        #expect(Transformer.keyOfObject.canTransform(from: Int.self, to: [Int: Any].self))
        #expect(
            !Transformer.keyOfObject.canTransform(from: Unhashable.self, to: [String: Any].self))
    }

    @Test(.parity("M149")) func aKeyHoldsAnEmptyObject() throws {
        let typed = try Transformer.keyOfObject.transform("key", as: [String: [String: Int]].self)
        #expect(typed == ["key": [:]])
        let plain = try Transformer.keyOfObject.transform("key", as: [String: Any].self)
        #expect(plain?.count == 1)
        #expect((plain?["key"] as? [String: Any])?.isEmpty == true)
    }

    @Test(.parity("M151", "M152")) func keysOfObjectsRefuseTheRest() {
        expectFailure(
            .inputNotAcceptable, of: Transformer.keyOfObject, Unhashable(), to: [String: Any].self)
        expectFailure(.outputNotSupported, of: Transformer.keyOfObject, "key", to: Int.self)
        expectFailure(.failed, of: Transformer.keyOfObject, "key", to: [String: Int].self)
    }
}
