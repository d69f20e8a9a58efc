// SPDX-License-Identifier: Apache-2.0

#if AsyncHTTPClient

import NIOCore
import NIOHTTP1

/// A channel handler that closes a connection on an invalid status code, or on too many interim
/// responses.
///
/// AsyncHTTPClient treats every status below 200 as an interim response, and traps on a body that
/// follows an invalid one.
final class ResponseHeadValidator: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// The reason why a response head is rejected.
    enum Rejection: Error {
        case invalidStatus
        case tooManyInterimResponses
    }

    /// The maximum number of interim responses before a final one.
    private static let interimLimit = 64

    private var interimCount = 0
    private var hasRejected = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRejected else { return }
        if case .head(let head) = unwrapInboundIn(data),
            let rejection = rejection(of: head.status.code)
        {
            hasRejected = true
            context.fireErrorCaught(rejection)
            context.close(promise: nil)
        } else {
            context.fireChannelRead(data)
        }
    }

    private func rejection(of status: UInt) -> Rejection? {
        switch status {
        // AsyncHTTPClient delivers 101 as a final response, although no upgrade was requested.
        case 100, 102..<200:
            interimCount += 1
            return interimCount > Self.interimLimit ? .tooManyInterimResponses : nil
        case 101, 200...999:
            interimCount = 0
            return nil
        default:
            return .invalidStatus
        }
    }
}
#endif
