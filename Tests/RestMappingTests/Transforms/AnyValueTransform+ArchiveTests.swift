// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestDocument
import RestMapping
import TestSupport
import Testing

@Suite struct AnyValueTransformArchiveTests {
    private struct Opaque {}

    private let archive = AnyValueTransform.archive

    @Test(.parity("M109", "M110")) func convertsBetweenCodableValuesAndData() {
        #expect(archive.canTransform(from: [String: String].self, to: Data.self))
        #expect(archive.canTransform(from: Data.self, to: [String: String].self))
        #expect(!archive.canTransform(from: Data.self, to: Opaque.self))
        #expect(!archive.canTransform(from: Opaque.self, to: Data.self))
        #expect(!archive.canTransform(from: [Opaque].self, to: Data.self))
    }

    @Test(.parity("M111", "M112")) func roundTripsArchive() throws {
        let value = ["key": "value"]
        let data = try #require(try archive.transform(value, as: Data.self))
        #expect(try DocumentDecoder().decode([String: String].self, from: data) == value)
        #expect(try JSONDecoder().decode([String: String].self, from: data) == value)
        #expect(try archive.transform(data, as: [String: String].self) == value)
    }

    @Test(.parity("M113", "M114", "M115", "M116")) func rejectsOtherArchiveConversions() throws {
        expectFailure(.inputNotAcceptable, of: archive, Opaque(), to: Data.self)
        expectFailure(.inputNotAcceptable, of: archive, [1, Opaque()] as [Any], to: Data.self)
        expectFailure(.inputNotAcceptable, of: archive, nil, to: Data.self)
        let noise = Data([0xFF, 0x00, 0x12])
        expectFailure(.failed, of: archive, noise, to: [String: String].self)
        expectFailure(.outputNotSupported, of: archive, ["key": "value"], to: String.self)
        let data = try archive.transform(["key": "value"], to: Data.self)
        expectFailure(.failed, of: archive, data, to: [String].self)
        expectFailure(.outputNotSupported, of: archive, data, to: Opaque.self)
    }

    @Test(.parity("M047")) func archivesArrayInDataProperty() throws {
        let mapping = ObjectMapping(for: Holder<Data>.self) {
            attribute("interests", to: \.value, using: AnyValueTransform.archive)
        }
        let json = #"{"interests":["Hacking","Running","Sleeping"]}"#
        let data = try #require(try map(Holder<Data>.self, json, with: mapping).first?.value)
        let interests = try archive.transform(data, as: [String].self)
        #expect(interests == ["Hacking", "Running", "Sleeping"])
    }

    @Test func archivesAnyDocument() throws {
        let mapping = ObjectMapping(for: Holder<Data>.self) {
            attribute("value", to: \.value, using: AnyValueTransform.archive)
        }
        let json = #"{"value":{"a":[1,"x",null,true,[0.5,{}],[null]],"e":[],"b":{"c":null}}}"#
        let data = try #require(try map(Holder<Data>.self, json, with: mapping).first?.value)
        let expected = try #require(try Document(parsing: json).root["value"])
        #expect(try Document(parsing: Array(data)).root == expected)
    }

    @Test func chainReadsTextForDataAsBase64() throws {
        let chain = AnyValueTransform.standard()
        #expect(try chain.transform("AQID", as: Data.self) == Data([1, 2, 3]))
        #expect(try chain.transform(Data([1, 2, 3]), as: String.self) == "AQID")
        expectFailure(.failed, of: chain, invalidText, to: Data.self)
        let list = try #require(try chain.transform([1, 2], as: Data.self))
        #expect(try archive.transform(list, as: [Int].self) == [1, 2])
    }
}
