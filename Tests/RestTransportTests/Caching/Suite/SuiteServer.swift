// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestTesting
import RestTransport
import Synchronization
import TestSupport

/// The server of the published cache tests, with a clock for each test.
final class SuiteServer: Sendable {
    /// A request that the server received, and its response.
    struct Exchange: Sendable {
        var number: Int?
        var method: String
        var requestHeaders: [String: String]
        /// The fields that the client must have received, with lower-case names, in order.
        var notedHeaders: [(name: String, value: String)]
    }

    private struct Plan {
        var requests: [SuiteRequest]
        var clock: ManualClock
        var exchanges: [Exchange] = []
        var count = 0
        var numbers: [String] = []
    }

    private let plans = Mutex<[String: Plan]>([:])

    /// Prepares a test.
    func configure(_ id: String, _ requests: [SuiteRequest], clock: ManualClock) {
        plans.withLock { $0[id] = Plan(requests: requests, clock: clock) }
    }

    /// Returns the exchanges of a test.
    func exchanges(of id: String) -> [Exchange] {
        plans.withLock { $0[id]?.exchanges ?? [] }
    }

    /// Responds to the requests of a connection.
    func serve(_ connection: LoopbackConnection) {
        while let bytes = connection.readRequest() {
            guard let request = SuiteServerRequest(bytes), let answer = response(request),
                connection.send(answer)
            else { return }
        }
    }

    /// Returns the bytes of a response, or `nil` to close the connection.
    private func response(_ request: SuiteServerRequest) -> [UInt8]? {
        let parts = request.path.split(separator: "/")
        guard parts.count > 1, parts[0] == "test" else { return Self.message(404, [], "") }
        return plans.withLock { plans -> [UInt8]? in
            guard var plan = plans[String(parts[1])] else { return Self.message(409, [], "") }
            defer { plans[String(parts[1])] = plan }
            plan.count += 1
            let sent = request.headers["req-num"].flatMap { Int($0) }
            let number = sent ?? plan.count
            if let sent { plan.numbers.append("\(sent)") }
            guard plan.requests.indices.contains(number - 1) else {
                return Self.message(409, [], "")
            }
            let step = plan.requests[number - 1]
            plan.clock.advance(by: .seconds(step.responsePause))
            let previous = number > 1 ? plan.requests[number - 2] : nil
            let lastSent = plan.exchanges.last { $0.number == number - 1 }
            var status = step.responseStatus ?? 200
            if step.expectedType?.isValidated == true {
                let isSame = previous != nil && lastSent.map { request.confirms($0) } == true
                status = isSame ? 304 : 999
            }
            var headers = [
                (name: "Server-Base-Url", value: request.path),
                (name: "Server-Request-Count", value: "\(plan.count)"),
                (name: "Client-Request-Count", value: request.headers["req-num"] ?? ""),
                (name: "Server-Now", value: "\(Int(plan.clock.date.timeIntervalSince1970 * 1000))"),
            ]
            var noted: [(name: String, value: String)] = []
            var known: [(name: String, value: String)] = []
            for field in step.responseHeaders {
                let value = Self.text(of: field, step, at: plan.clock.date, base: request.path)
                headers.append((field.name, value))
                known.append((field.name.lowercased(), value))
                if field.isNoted { noted.append((field.name.lowercased(), value)) }
            }
            if !headers.contains(where: { $0.name.lowercased() == "content-type" }) {
                headers.append(("Content-Type", "text/plain"))
            }
            headers.append(("Request-Numbers", plan.numbers.joined(separator: " ")))
            plan.exchanges.append(
                Exchange(
                    number: sent, method: request.method, requestHeaders: request.headers,
                    notedHeaders: noted))
            validators(known, into: &plan.exchanges[plan.exchanges.count - 1])
            if step.disconnects { return nil }
            let hasBody = status != 204 && status != 304
            let body = hasBody ? step.responseBody ?? String(parts[1]) : ""
            return Self.message(
                status, headers, body, isHead: request.method == "HEAD", hasBody: hasBody)
        }
    }

    /// Returns the validators that were sent, for the conditions of the next request.
    private func validators(
        _ known: [(name: String, value: String)], into exchange: inout Exchange
    ) {
        for (name, value) in known where name == "etag" || name == "last-modified" {
            exchange.requestHeaders["sent \(name)"] = value
        }
    }

    private static func message(
        _ status: Int, _ headers: [(name: String, value: String)], _ body: String,
        isHead: Bool = false, hasBody: Bool = true
    ) -> [UInt8] {
        var head = "HTTP/1.1 \(status) Status\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if hasBody { head += "Content-Length: \(body.utf8.count)\r\n" }
        return Array((head + "\r\n" + (isHead ? "" : body)).utf8)
    }

    static func text(
        of field: SuiteField, _ step: SuiteRequest, at date: Date, base: String
    ) -> String {
        let name = field.name.lowercased()
        switch field.value {
        case .number(let seconds) where dateNames.contains(name):
            let date = date.addingTimeInterval(TimeInterval(seconds))
            let isOld = step.rfc850Names.contains { $0.lowercased() == name }
            return isOld ? rfc850(date) : HTTPDate.format(date)
        case .number(let number): return "\(number)"
        case .text(let text):
            guard step.hasRelativeLocations, name == "location" || name == "content-location" else {
                return text
            }
            return text.isEmpty ? base : "\(base)/\(text)"
        case nil: return ""
        }
    }

    private static let dateNames: Set<String> = [
        "date", "expires", "last-modified", "if-modified-since", "if-unmodified-since",
    ]

    private static func rfc850(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEEE, dd-MMM-yy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }
}

/// A request that the server received.
struct SuiteServerRequest {
    var method: String
    var path: String
    var headers: [String: String] = [:]

    init?(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.firstRange(of: "\r\n\r\n") else { return nil }
        let lines = text[..<end.lowerBound].split(separator: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count == 3 else { return nil }
        method = String(words[0])
        path = String(words[1].prefix { $0 != "?" })
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let name = line[..<colon].lowercased()
            let value = line[line.index(after: colon)...]
                .trimmingCharacters(in: .whitespaces)
            headers[name] = headers[name].map { "\($0), \(value)" } ?? value
        }
    }

    /// Returns a Boolean value that indicates whether the conditions match an earlier response.
    func confirms(_ exchange: SuiteServer.Exchange) -> Bool {
        let tag = exchange.requestHeaders["sent etag"]
        let date = exchange.requestHeaders["sent last-modified"]
        return tag != nil && headers["if-none-match"] == tag
            || date != nil && headers["if-modified-since"] == date
    }
}
