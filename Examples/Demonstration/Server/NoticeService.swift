// SPDX-License-Identifier: Apache-2.0

import FlyingFox
import Foundation
import Synchronization

/// The notices of the demonstration's server, which clients create, change and delete.
final class NoticeService: Sendable {
    /// A request that the service has accepted.
    struct Write: Sendable, Equatable {
        let method: String
        let path: String
        /// The text of the body.
        let body: String
    }

    /// A request that the service does not accept.
    struct Fault: Error, Equatable {
        let status: HTTPStatusCode
        let message: String
    }

    /// The members of a body; `nil` for missing ones.
    private struct Input: Decodable {
        let text: String?
        let airport: Reference?

        private enum CodingKeys: String, CodingKey {
            case text
            case airport
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            // A null does not remove a member, as a notice has both.
            text = members.contains(.text) ? try members.decode(String.self, forKey: .text) : nil
            airport =
                members.contains(.airport)
                ? try members.decode(Reference.self, forKey: .airport) : nil
        }
    }

    private struct State {
        var notices: [NoticeRecord]
        var lastID: Int
        var writes: [Write] = []

        func index(of id: String) throws(Fault) -> Int {
            guard let index = notices.firstIndex(where: { "\($0.id)" == id }) else {
                throw Fault(status: .notFound, message: "there is no such notice")
            }
            return index
        }

        mutating func add(_ method: String, _ path: String, _ body: Data) {
            writes.append(
                Write(method: method, path: path, body: String(decoding: body, as: UTF8.self)))
        }
    }

    /// The maximum number of characters of a text.
    static let maximumLength = 200

    private let airports: Set<String>
    private let state: Mutex<State>

    init(_ catalog: AirportCatalog) {
        airports = Set(catalog.airports.map(\.code))
        state = Mutex(
            State(
                notices: catalog.notices, lastID: catalog.notices.map(\.id).max() ?? 0))
    }

    /// The notices, ordered by number.
    var notices: [NoticeRecord] { state.withLock(\.notices) }

    /// The accepted requests, in their order.
    var writes: [Write] { state.withLock(\.writes) }

    /// Returns the notice with a number; `nil` if there is none.
    func notice(_ id: String) -> NoticeRecord? {
        notices.first { "\($0.id)" == id }
    }

    /// Creates a notice, which gets the next number.
    ///
    /// - Throws: ``Fault`` with status 422 if a member is missing or invalid.
    func create(from body: Data) throws(Fault) -> NoticeRecord {
        let input = try input(body)
        guard let text = input.text else { throw Self.invalid("text is missing") }
        guard let airport = input.airport else { throw Self.invalid("airport is missing") }
        return state.withLock { state in
            state.lastID += 1
            let notice = NoticeRecord(id: state.lastID, airport: airport.code, text: text)
            state.notices.append(notice)
            state.add("POST", "/notices", body)
            return notice
        }
    }

    /// Changes the members of a notice that a merge patch contains.
    ///
    /// - Throws: ``Fault`` with status 404 or 422.
    /// - Source: RFC 7396 §2.
    func change(_ id: String, by patch: Data) throws(Fault) -> NoticeRecord {
        let input = try input(patch)
        return try state.withLock { state throws(Fault) in
            let index = try state.index(of: id)
            if let text = input.text { state.notices[index].text = text }
            if let airport = input.airport { state.notices[index].airport = airport.code }
            state.add("PATCH", "/notices/\(id)", patch)
            return state.notices[index]
        }
    }

    /// Deletes a notice, whose number is not used again.
    ///
    /// - Throws: ``Fault`` with status 404.
    func delete(_ id: String) throws(Fault) {
        try state.withLock { state throws(Fault) in
            state.notices.remove(at: try state.index(of: id))
            state.add("DELETE", "/notices/\(id)", Data())
        }
    }

    private func input(_ body: Data) throws(Fault) -> Input {
        let input: Input
        do {
            input = try JSONDecoder().decode(Input.self, from: body)
        } catch {
            throw Self.invalid("a notice is an object with text and airport")
        }
        if let text = input.text {
            if text.allSatisfy(\.isWhitespace) { throw Self.invalid("text must not be empty") }
            if text.count > Self.maximumLength {
                throw Self.invalid("text has more than \(Self.maximumLength) characters")
            }
        }
        if let airport = input.airport, !airports.contains(airport.code) {
            throw Self.invalid("there is no airport with this code")
        }
        return input
    }

    private static func invalid(_ message: String) -> Fault {
        Fault(status: .unprocessableContent, message: message)
    }
}
